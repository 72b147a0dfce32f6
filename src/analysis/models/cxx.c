/* cxx.c: libstdc++, its run-time support, and libgcc's unwinder. Names are mangled by the Itanium C++ ABI. */
#include <stddef.h>

#include "analysis/models/models_priv.h"

/* std::string has a pointer at its start, to itself or to a block. */
#define STRING "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE"
#define CONSTANT_STRING "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE"
#define SETS_STRING NEW_INTO(0), STORE_INSIDE(0, 0)

enum { LIST_LINKS = 3 /* next, previous */, TREE_LINKS = 2 + 4 + 8 /* parent, left, right */ };

const struct model_names models_cxx[] = {
	/* operator new and delete, in all forms. */
	{ "_Znwm _Znam _ZnwmRKSt9nothrow_t _ZnamRKSt9nothrow_t _ZnwmSt11align_val_t _ZnamSt11align_val_t "
	  "_ZnwmSt11align_val_tRKSt9nothrow_t _ZnamSt11align_val_tRKSt9nothrow_t",
	  ALLOCATES(0) },
	{ "_ZdlPv _ZdaPv _ZdlPvm _ZdaPvm _ZdlPvSt11align_val_t _ZdaPvSt11align_val_t _ZdlPvmSt11align_val_t "
	  "_ZdaPvmSt11align_val_t _ZdlPvRKSt9nothrow_t _ZdaPvRKSt9nothrow_t _ZdlPvSt11align_val_tRKSt9nothrow_t "
	  "_ZdaPvSt11align_val_tRKSt9nothrow_t",
	  { FREES(0) } },

	/* Exceptions. Lowering hands on what is thrown. */
	{ "__cxa_allocate_exception __cxa_allocate_dependent_exception", ALLOCATES(0) },
	{ "__cxa_free_exception __cxa_free_dependent_exception", { FREES(0) } },
	{ "__cxa_throw",
	  { .steps = { LATER(MODEL_PLACE_EXCEPTION, 2, 0, 0) }, .sync = MODEL_NO_RETURN, NO_ARGUMENTS } },
	/* std::make_exception_ptr: what is returned is the header in front of the object. */
	{ "__cxa_init_primary_exception", FLOW(LATER(MODEL_PLACE_EXCEPTION, 2, 0, 0), INSIDE(R, 0)) },
	/* Of a pointer that was thrown it is the pointer that is returned. */
	{ "__cxa_begin_catch __cxa_get_exception_ptr", FLOW(COPY(R, 0), LOAD(R, 0)) },
	{ "__cxa_end_catch", FLOW(RUN(MODEL_PLACE_EXCEPTION)) },
	{ "__cxa_rethrow _Unwind_Resume _Unwind_Resume_or_Rethrow __cxa_call_unexpected __cxa_call_terminate "
	  "_ZSt9terminatev _ZSt10unexpectedv __cxa_pure_virtual __cxa_deleted_virtual __cxa_bad_cast __cxa_bad_typeid "
	  "__cxa_throw_bad_array_new_length __cxa_throw_bad_array_length",
	  ENDS },
	{ "_ZSt16__throw_bad_castv _ZSt17__throw_bad_allocv _ZSt18__throw_bad_typeidv _ZSt21__throw_bad_exceptionv "
	  "_ZSt19__throw_logic_errorPKc _ZSt20__throw_length_errorPKc _ZSt20__throw_out_of_rangePKc "
	  "_ZSt24__throw_out_of_range_fmtPKcz _ZSt20__throw_domain_errorPKc _ZSt19__throw_range_errorPKc "
	  "_ZSt21__throw_runtime_errorPKc _ZSt22__throw_overflow_errorPKc _ZSt23__throw_underflow_errorPKc "
	  "_ZSt24__throw_invalid_argumentPKc _ZSt20__throw_system_errori _ZSt20__throw_future_errori "
	  "_ZSt25__throw_bad_function_callv _ZSt28__throw_bad_array_new_lengthv _ZSt19__throw_ios_failurePKc "
	  "_ZSt19__throw_ios_failurePKci _ZSt19__throw_regex_errorNSt15regex_constants10error_typeE "
	  "_ZSt19__throw_bad_weak_ptrv",
	  ENDS },
	{ "__gxx_personality_v0 __gcc_personality_v0 __cxa_current_exception_type _ZSt18uncaught_exceptionv "
	  "_ZSt19uncaught_exceptionsv _ZSt13set_terminatePFvvE _Unwind_GetIP _Unwind_GetCFA _Unwind_DeleteException "
	  "_ZSt15set_new_handlerPFvvE",
	  PLAIN },
	{ "_Unwind_Backtrace", FLOW(CALL(0, 1, 1)) },
	{ "__cxa_get_globals __cxa_get_globals_fast", FLOW(STATIC_THREAD(R)) },
	{ "__cxa_demangle", FLOW(COPY(R, 1), NEW(R, NO)) },
	/* To the whole object: which part of it the result is depends on the types. */
	{ "__dynamic_cast", FLOW(COPY(R, 0), INSIDE(R, 0)) },
	/* Initialisation of static variables in functions. */
	{ "__cxa_guard_acquire",
	  { .sync = MODEL_TRY_LOCK,
	    .result = MODEL_NOT_ZERO,
	    .object = 0,
	    .object2 = NO,
	    .routine = NO,
	    .argument = NO,
	    .is_once = true } },
	{ "__cxa_guard_release",
	  { .sync = MODEL_UNLOCK, .object = 0, .object2 = NO, .routine = NO, .argument = NO, .is_once = true } },
	{ "__cxa_guard_abort",
	  { .sync = MODEL_UNLOCK,
	    .object = 0,
	    .object2 = NO,
	    .routine = NO,
	    .argument = NO,
	    .is_once = true,
	    .is_given_up = true } },
	{ "_ZNSt9exception* _ZNSt13runtime_error* _ZNSt11logic_error* _ZNSt12out_of_range* _ZNSt16invalid_argument* "
	  "_ZNSt12length_error* _ZNSt12domain_error* _ZNSt11range_error* _ZNSt14overflow_error* "
	  "_ZNSt15underflow_error* "
	  "_ZNSt12system_error* _ZNSt9bad_alloc* _ZNSt8bad_cast* _ZNSt10bad_typeid* _ZNSt17bad_function_call* "
	  "_ZNSt20bad_array_new_length* _ZNSt15__exception_ptr* _ZNKSt15__exception_ptr* _ZSt17current_exceptionv "
	  "_ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE _ZNSt12future_error* _ZNSt13__future_base* "
	  "_ZNSt12bad_weak_ptr* _ZNSt13bad_exception*",
	  PLAIN },
	{ "_ZNKSt9exception4whatEv _ZNKSt13runtime_error4whatEv _ZNKSt11logic_error4whatEv _ZNKSt9bad_alloc4whatEv "
	  "_ZNKSt12future_error4whatEv _ZNKSt8bad_cast4whatEv",
	  FLOW(STATIC(R)) },
	{ "_ZNSt3_V215system_categoryEv _ZNSt3_V216generic_categoryEv _ZSt15future_categoryv _ZSt17iostream_categoryv",
	  FLOW(STATIC(R)) },
	{ "_ZNSt14error_category* _ZNKSt14error_category* _ZNSt3_V214error_category* _ZNKSt3_V214error_category*",
	  PLAIN },

	/* Threads. What the inline functions of mutexes and locks call is in analysis/models/threads.c. */
	{ "_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE",
	  { .sync = MODEL_CREATE,
	    .object = 0,
	    .object2 = NO,
	    .routine = 1,
	    .argument = NO,
	    .routine_kind = MODEL_METHOD } },
	{ "_ZNSt6thread4joinEv",
	  { .sync = MODEL_JOIN,
	    .object = 0,
	    .object2 = NO,
	    .routine = NO,
	    .argument = NO,
	    .is_object_in_memory = true } },
	{ "_ZNSt6thread6detachEv",
	  { .sync = MODEL_DETACH,
	    .object = 0,
	    .object2 = NO,
	    .routine = NO,
	    .argument = NO,
	    .is_object_in_memory = true } },
	{ "_ZNSt6thread20hardware_concurrencyEv _ZNSt6thread6_StateD0Ev _ZNSt6thread6_StateD1Ev "
	  "_ZNSt6thread6_StateD2Ev "
	  "_ZNSt11this_thread* _ZNSt6chrono*",
	  PLAIN },
	{ "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE",
	  { .sync = MODEL_WAIT,
	    .object = 0,
	    .object2 = 1,
	    .routine = NO,
	    .argument = NO,
	    .is_object2_in_memory = true } },
	{ "_ZNSt18condition_variable10notify_oneEv _ZNSt18condition_variable10notify_allEv",
	  SYNC(MODEL_SIGNAL, MODEL_ALWAYS, 0) },
	/* The lock stays held until the thread ends, for all that this thread does. */
	{ "_ZSt25notify_all_at_thread_exitRSt18condition_variableSt11unique_lockISt5mutexE", PLAIN },
	/* Which of the library's own locks it is depends on an address: not known as a lock. */
	{ "_ZNSt10_Sp_locker*", PLAIN },
	{ "_ZNSt18condition_variable* _ZNSt22condition_variable_any* _ZNSt28__atomic_futex_unsigned_base*", PLAIN },

	/* Lists, trees, hash tables: the parts that are not templates. */
	{ "_ZNSt8__detail15_List_node_base7_M_hookEPS0_ _ZNSt8__detail15_List_node_base4swapERS0_S1_",
	  FLOW(LINK(LIST_LINKS, 0, 1, NO)) },
	{ "_ZNSt8__detail15_List_node_base9_M_unhookEv _ZNSt8__detail15_List_node_base10_M_reverseEv",
	  FLOW(LINK(LIST_LINKS, 0, NO, NO)) },
	{ "_ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_", FLOW(LINK(LIST_LINKS, 0, 1, 2)) },
	{ "_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_", FLOW(LINK(TREE_LINKS, 1, 2, 3)) },
	{ "_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_",
	  FLOW(LINK(TREE_LINKS, 0, 1, NO), COPY(R, 0)) },
	{ "_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base _ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base "
	  "_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base _ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base "
	  "_ZSt20_Rb_tree_black_countPKSt18_Rb_tree_node_baseS1_",
	  FLOW(LINK(TREE_LINKS, 0, NO, NO)) },
	{ "_ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm "
	  "_ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm "
	  "_ZNSt8__detail20_Prime_rehash_policy* _ZSt11_Hash_bytesPKvmm _ZSt15_Fnv_hash_bytesPKvmm",
	  PLAIN },

	/* std::allocator has nothing in it. */
	{ "_ZNSaIcEC1* _ZNSaIcEC2* _ZNSaIcED1Ev _ZNSaIcED2Ev _ZNSaIwEC1* _ZNSaIwEC2* _ZNSaIwED1Ev _ZNSaIwED2Ev",
	  PLAIN },

	/* Strings. */
	{ STRING "9_M_createERmm", ALLOCATES(NO) },
	{ STRING "4swapERS4_", FLOW(SETS_STRING, MIX(0, 1), MIX(1, 0), STORE_INSIDE(1, 1)) },
	{ STRING "C1EOS4_ " STRING "C2EOS4_ " STRING "aSEOS4_", FLOW(SETS_STRING, MIX(0, 1), COPY(R, 0)) },
	{ STRING "10_M_disposeEv " STRING "10_M_destroyEm " STRING "D1Ev " STRING "D2Ev", PLAIN },
	{ STRING "*", FLOW(SETS_STRING, COPY(R, 0)) },
	{ CONSTANT_STRING "6substrEmm", FLOW(SETS_STRING) },
	{ CONSTANT_STRING "*", PLAIN },
	{ "_ZNSs* _ZNSbIwSt11char_traitsIwESaIwEE*", FLOW(SETS_STRING, COPY(R, 0)) },
	{ "_ZNKSs*", PLAIN },
	{ "_ZStplIcSt11char_traitsIcESaIcEENSt7__cxx1112basic_string*", FLOW(SETS_STRING) },
	{ "_ZSt7getlineIcSt11char_traitsIcESaIcEERSt13basic_istream*",
	  FLOW(COPY(R, 0), NEW_INTO(1), STORE_INSIDE(1, 1)) },
	{ "_ZStrsIcSt11char_traitsIcESaIcEERSt13basic_istream*", FLOW(COPY(R, 0), NEW_INTO(1), STORE_INSIDE(1, 1)) },

	/* Streams: an object of the library's inside of one of the program's. */
	{ "_ZNSolsEPFRSoS_E _ZNSolsEPFRSt8ios_baseS0_E _ZNSirsEPFRSiS_E", FLOW(CALL(1, 0, 0), COPY(R, 0)) },
	{ "_ZNSo* _ZNSi* _ZNSd* _ZStls* _ZStrs* _ZSt4endl* _ZSt4ends* _ZSt5flush* _ZSt2ws* _ZSt16__ostream_insert* "
	  "_ZNSt8ios_base* _ZNSt9basic_ios* _ZNSt15basic_streambuf* _ZNSt13basic_filebuf* _ZNSt14basic_ofstream* "
	  "_ZNSt14basic_ifstream* _ZNSt13basic_fstream* _ZNSt7__cxx1115basic_stringbuf* "
	  "_ZNSt7__cxx1118basic_stringstream* _ZNSt7__cxx1119basic_ostringstream* "
	  "_ZNSt7__cxx1119basic_istringstream* _ZNSt12__basic_file* _ZNKSo* _ZNKSi* _ZNKSt8ios_base* _ZNKSt9basic_ios* "
	  "_ZNKSt15basic_streambuf* _ZNKSt13basic_filebuf* _ZNKSt14basic_ofstream* _ZNKSt14basic_ifstream* "
	  "_ZNKSt12__basic_file*",
	  FLOW(COPY(R, 0)) },
	{ "_ZNKSt7__cxx1115basic_stringbufIcSt11char_traitsIcESaIcEE3strEv "
	  "_ZNKSt7__cxx1118basic_stringstreamIcSt11char_traitsIcESaIcEE3strEv "
	  "_ZNKSt7__cxx1119basic_ostringstreamIcSt11char_traitsIcESaIcEE3strEv "
	  "_ZNKSt7__cxx1119basic_istringstreamIcSt11char_traitsIcESaIcEE3strEv",
	  FLOW(SETS_STRING) },
	{ "_ZNSt6locale* _ZNKSt6locale*", FLOW(COPY(R, 0)) },
	{ "_ZSt9use_facet* _ZSt9has_facet*", FLOW(STATIC(R)) },
	{ "_ZNKSt5ctype* _ZNSt5ctype* _ZNSt8numpunct* _ZNKSt7num_put* _ZNKSt7num_get*", PLAIN },
	{ "_ZNSt13random_device* _ZSt21__glibcxx_assert_failPKciS0_S0_", PLAIN },
	{ NULL, PLAIN },
};
