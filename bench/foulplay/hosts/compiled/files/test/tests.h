void test_format(void);
void test_parse(void);
void test_refused(void);
