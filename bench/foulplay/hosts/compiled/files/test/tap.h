#ifndef TAP_H
#define TAP_H

void ok(int holds, const char *name);
void is_long(long got, long wanted, const char *name);
void is_text(const char *got, const char *wanted, const char *name);
int finish(void);

#endif
