#!/bin/bash
# C++ names are told as people write them, and what is not understood is told as it is.
. tests/lib/tap.sh
. tests/lib/unit.sh

ok "compiled" unit_build tools.a "$work/names" tests/unit/names_test.c || {
	done_testing
	exit
}

# The full form, and behind => the short one.
while IFS= read -r line; do
	full=${line%% => *} short=${line##* => }
	is "short: $short" "$("$work/names" short "$full")" "$short"
done <<'END_OF_NAMES'
std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >::append(char const*) => std::string::append(char const*)
std::vector<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >, std::allocator<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > > >::push_back(std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > const&) => std::vector<std::string>::push_back(std::string const&)
std::map<int, std::vector<int, std::allocator<int> >, std::less<int>, std::allocator<std::pair<int const, std::vector<int, std::allocator<int> > > > >::operator[](int const&) => std::map<int, std::vector<int>>::operator[](int const&)
std::set<int, std::greater<int>, std::allocator<int> >::clear() => std::set<int, std::greater<int>>::clear()
std::unordered_map<long, int, std::hash<long>, std::equal_to<long>, std::allocator<std::pair<long const, int> > >::at(long const&) => std::unordered_map<long, int>::at(long const&)
std::unique_ptr<int [], std::default_delete<int []> >::reset(int*) => std::unique_ptr<int []>::reset(int*)
std::__shared_ptr<int, (__gnu_cxx::_Lock_policy)2>::get() const => std::__shared_ptr<int>::get() const
std::queue<int, std::deque<int, std::allocator<int> > >::push(int const&) => std::queue<int>::push(int const&)
std::priority_queue<int, std::vector<int, std::allocator<int> >, std::less<int> >::pop() => std::priority_queue<int>::pop()
std::array<int, 16ul>::operator[](unsigned long) => std::array<int, 16>::operator[](unsigned long)
std::condition_variable::wait_for(std::unique_lock<std::mutex>&, std::chrono::duration<long, std::ratio<1l, 1000l> > const&) => std::condition_variable::wait_for(std::unique_lock<std::mutex>&, std::chrono::milliseconds const&)
std::pair<int, std::allocator<char> >::swap() => std::pair<int, std::allocator<char>>::swap()
f(std::tuple<int, std::less<int> >) => f(std::tuple<int, std::less<int>>)
my::vector<int, my::allocator<int> >::size() const => my::vector<int, my::allocator<int>>::size() const
my::cell<std::allocator<int> >::get() => my::cell<std::allocator<int>>::get()
std::basic_ostream<char, std::char_traits<char> >& std::operator<< <std::char_traits<char> >(std::basic_ostream<char, std::char_traits<char> >&, char const*) => std::operator<< <std::char_traits<char>>(std::ostream&, char const*)
bool std::operator< <int>(std::vector<int, std::allocator<int> > const&, std::vector<int, std::allocator<int> > const&) => std::operator< <int>(std::vector<int> const&, std::vector<int> const&)
app::operator<(app::item const&, app::item const&) => app::operator<(app::item const&, app::item const&)
app::item::operator<=>(app::item const&) const => app::item::operator<=>(app::item const&) const
app::item::operator>>(int) => app::item::operator>>(int)
std::shared_ptr<app::node<int> >::operator->() const => std::shared_ptr<app::node<int>>::operator->() const
app::item::operator()(int) const => app::item::operator()(int) const
app::item::operator std::vector<int, std::allocator<int> >() const => app::item::operator std::vector<int>() const
operator new(unsigned long) => operator new(unsigned long)
main::{lambda(int)#1}::operator()(int) const => main::{lambda(int)#1}::operator()(int) const
main::$_0::operator()() const => main::{lambda#1}::operator()() const
(anonymous namespace)::worker::run() => worker::run()
app::name[abi:cxx11](int) => app::name(int)
unsigned long app::total<int, 3ul>(int) => app::total<int, 3>(int)
int (*app::get<int>(int))(char) => int (*app::get<int>(int))(char)
std::function<void (int)>::operator()(int) const => std::function<void (int)>::operator()(int) const
std::enable_if<(3)>(2), int>::type f<int>(int) => std::enable_if<(3)>(2), int>::type f<int>(int)
guard variable for f()::count => guard variable for f()::count
f(int) [clone .cold] => f(int) [clone .cold]
plain => plain
unbalanced<int( => unbalanced<int(
>>)<( => >>)<(
END_OF_NAMES
deep=$(printf 'a<%.0s' $(seq 5000))$(printf '>%.0s' $(seq 5000))
is "short: what is too deep stays" "$("$work/names" short "$deep")" "$deep"
is "bare" "$("$work/names" bare 'main::$_1::operator()() const' 'app::queue<int>::push(int)' 'f' 'app::operator<(int, int)' 'app::item::operator()(int)' 'cooperator<int>(int)')" \
'main::{lambda#2}
app::queue<int>::push
f
app::operator<
app::item
cooperator<int>'
is "what a thread of std::thread runs" "$("$work/names" task \
	'std::thread::_State_impl<std::thread::_Invoker<std::tuple<main::{lambda()#1}> > >::_M_run()' \
	'std::thread::_State_impl<std::thread::_Invoker<std::tuple<(anonymous namespace)::worker, int> > >::_M_run()' \
	'std::thread::_State_impl<std::thread::_Invoker<std::tuple<void (*)(int), int> > >::_M_run()' 'f(int)')" \
'main::{lambda()#1}
worker
-
-'
is "linkage names" "$("$work/names" told _ZNSt6vectorIiSaIiEE9push_backERKi plain _Znot \
	_ZNSt4pairIKiNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEEC2IJRS0_EJLm0EEJETpTnmJEEERSt5tupleIJDpT_EERSA_IJDpT1_EESt12_Index_tupleIJXspT0_EEESJ_IJXspT2_EEE _ZN99x)" \
'std::vector<int>::push_back(int const&)
plain
_Znot
std::pair<...>
_ZN99x'
done_testing
