/* page.h: the parts of the HTML page, as they are in page.html, page.css and page.js. */
#ifndef FORMATS_PAGE_H
#define FORMATS_PAGE_H

/* @STYLE@, @SCRIPT@, @DATA@ and @NONCE@ are placeholders. */
extern const char report_page_html[] __attribute__((visibility("hidden")));
extern const char report_page_style[] __attribute__((visibility("hidden")));
extern const char report_page_script[] __attribute__((visibility("hidden")));

#endif
