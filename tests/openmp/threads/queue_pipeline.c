// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -pthread
//
// A pipeline of queues between threads on all nodes: stages with one thread or several, queues with
// a condition variable for each direction, and one of semaphores. Each item passes all stages once.

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

#include "../check.h"

enum { kItems = 600, kRoom = 7, kWorkers = 3, kBytes = 200 };

typedef struct Item {
  int number;
  unsigned stages;  // a bit for each that it has passed
  char text[kBytes];
} Item;

typedef struct {
  pthread_mutex_t lock;
  pthread_cond_t has_items, has_room;
  Item* items[kRoom];
  int first, count, writers;
} Queue;

static void open_queue(Queue* queue, int writers) {
  memset(queue, 0, sizeof *queue);
  pthread_mutex_init(&queue->lock, NULL);
  pthread_cond_init(&queue->has_items, NULL);
  pthread_cond_init(&queue->has_room, NULL);
  queue->writers = writers;
}

static void put(Queue* queue, Item* item) {
  pthread_mutex_lock(&queue->lock);
  while (queue->count == kRoom) pthread_cond_wait(&queue->has_room, &queue->lock);
  queue->items[(queue->first + queue->count++) % kRoom] = item;
  pthread_cond_signal(&queue->has_items);
  pthread_mutex_unlock(&queue->lock);
}

static void close_queue(Queue* queue) {
  pthread_mutex_lock(&queue->lock);
  --queue->writers;
  pthread_cond_broadcast(&queue->has_items);
  pthread_mutex_unlock(&queue->lock);
}

// Null when all writers have closed it.
static Item* take(Queue* queue) {
  Item* item = NULL;
  pthread_mutex_lock(&queue->lock);
  while (queue->count == 0 && queue->writers > 0) {
    pthread_cond_wait(&queue->has_items, &queue->lock);
  }
  if (queue->count > 0) {
    item = queue->items[queue->first];
    queue->first = (queue->first + 1) % kRoom;
    --queue->count;
    pthread_cond_signal(&queue->has_room);
  }
  pthread_mutex_unlock(&queue->lock);
  return item;
}

// The last queue: single producer, single consumer, ordered by semaphores alone.
static Item* ring[kRoom];
static sem_t ring_items, ring_room;

static Queue made, worked;

static void* produce(void* unused) {
  for (int i = 0; i < kItems; ++i) {
    Item* item = malloc(sizeof *item);
    memset(item, 0, sizeof *item);
    item->number = i;
    item->stages = 1;
    put(&made, item);
  }
  close_queue(&made);
  return unused;
}

static void* work(void* count) {
  for (Item* item; (item = take(&made)) != NULL;) {
    EXPECT(item->stages == 1, "Item %d has passed %x.", item->number, item->stages);
    item->stages |= 2;
    memset(item->text, 'a' + item->number % 26, kBytes - 1);
    put(&worked, item);
    ++*(int*)count;
  }
  close_queue(&worked);
  return NULL;
}

static void* pass_on(void* unused) {
  int at = 0;
  for (Item* item; (item = take(&worked)) != NULL; ++at) {
    EXPECT(item->stages == 3, "Item %d has passed %x.", item->number, item->stages);
    item->stages |= 4;
    sem_wait(&ring_room);
    ring[at % kRoom] = item;
    sem_post(&ring_items);
  }
  return unused;
}

static void consume(void) {
  static char seen[kItems];
  memset(seen, 0, sizeof seen);
  for (int i = 0; i < kItems; ++i) {
    sem_wait(&ring_items);
    Item* item = ring[i % kRoom];
    sem_post(&ring_room);
    EXPECT(item->stages == 7, "Item %d has passed %x.", item->number, item->stages);
    EXPECT(strlen(item->text) == kBytes - 1 && item->text[0] == 'a' + item->number % 26,
           "Item %d says %s.", item->number, item->text);
    EXPECT(seen[item->number]++ == 0, "Item %d comes again.", item->number);
    free(item);
  }
}

int main(void) {
  pthread_t producer, workers[kWorkers], passer;
  int counts[kWorkers] = {0}, all = 0;
  for (int round = 0; round < 3; ++round) {
    open_queue(&made, 1);
    open_queue(&worked, kWorkers);
    sem_init(&ring_items, 0, 0);
    sem_init(&ring_room, 0, kRoom);
    EXPECT(pthread_create(&producer, NULL, produce, NULL) == 0, "pthread_create");
    for (int w = 0; w < kWorkers; ++w) {
      EXPECT(pthread_create(&workers[w], NULL, work, &counts[w]) == 0, "pthread_create");
    }
    EXPECT(pthread_create(&passer, NULL, pass_on, NULL) == 0, "pthread_create");
    consume();
    pthread_join(producer, NULL);
    pthread_join(passer, NULL);
    for (int w = 0; w < kWorkers; ++w) pthread_join(workers[w], NULL);
  }
  for (int w = 0; w < kWorkers; ++w) all += counts[w];
  EXPECT(all == 3 * kItems, "%d items were worked on.", all);
  return ok();
}
