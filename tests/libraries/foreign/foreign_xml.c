// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// libxml2: a document that main has parsed is read and changed on all nodes; documents made by
// threads are read by main and by others.
// links: -lxml2
// flags: -I/usr/include/libxml2
#include <libxml/parser.h>
#include <libxml/tree.h>
#include <libxml/xpath.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kItems = 24 };

static int number_of(xmlNodePtr item, const char* attribute) {
  xmlChar* text = xmlGetProp(item, (const xmlChar*)attribute);
  const int number = text == NULL ? -1 : atoi((const char*)text);
  xmlFree(text);
  return number;
}

int main(void) {
  char text[8192] = "<list>", item[64];
  xmlNodePtr items[kItems];
  xmlDocPtr documents[kItems];
  int failures = 0, count = 0;
  for (int i = 0; i < kItems; ++i) {
    sprintf(item, "<item value=\"%d\"/>", i * i);
    strcat(text, item);
  }
  strcat(text, "</list>");
  xmlInitParser();
  xmlDocPtr document = xmlReadMemory(text, (int)strlen(text), "list.xml", NULL, 0);
  for (xmlNodePtr at = xmlDocGetRootElement(document)->children; at != NULL; at = at->next)
    items[count++] = at;
#pragma omp parallel for schedule(static, 1) reduction(+ : failures)
  for (int i = 0; i < kItems; ++i) {
    if (number_of(items[i], "value") != i * i) ++failures;
    documents[i] = xmlReadMemory(text, (int)strlen(text), "copy.xml", NULL, 0);
#pragma omp critical
    {
      char doubled[16];
      sprintf(doubled, "%d", 2 * i * i);
      xmlNewProp(items[i], (const xmlChar*)"doubled", (const xmlChar*)doubled);
    }
  }
  for (int i = 0; i < kItems; ++i) {
    if (number_of(items[i], "doubled") != 2 * i * i) ++failures;
  }
#pragma omp parallel for schedule(static, 1) reduction(+ : failures)
  for (int i = 0; i < kItems; ++i) {
    const int other = (i + 5) % kItems;
    xmlXPathContextPtr context = xmlXPathNewContext(documents[other]);
    xmlXPathObjectPtr found =
        xmlXPathEvalExpression((const xmlChar*)"count(//item[@value > 99])", context);
    if (found == NULL || found->floatval != kItems - 10) ++failures;
    xmlXPathFreeObject(found);
    xmlXPathFreeContext(context);
    xmlFreeDoc(documents[other]);
  }
  xmlFreeDoc(document);
  printf("%d failures\n", failures);
  if (failures == 0 && count == kItems) puts("ok");
  return 0;
}
