# Test::Nginx: stands in for the module of that name in nginx's test suite (github.com/nginx/nginx-tests), for bench/real. A test of that suite
# says what the server is configured with, starts it, and asks it over HTTP. Here the server is not the test's child, but the program
# that heddle test runs, and the test is a client of it (bench/real-client.c). So a test runs twice:
#   REAL_MODE=prepare   until it would start the server: the configuration and the files are in REAL_FOLDER
#   REAL_MODE=ask       as a client of the server that was started with these
# REAL_PORT is the server's port. This has what tests of the suite need that have one server and no other processes.
package Test::Nginx;
use strict;
use warnings;
use base 'Exporter';
use IO::Socket::INET;
use POSIX ();
use Test::More ();

our @EXPORT = qw(log_in log_out http http_get http_head port);
our @EXPORT_OK = qw(http_start http_end http_content);

my $folder = $ENV{REAL_FOLDER} // die "REAL_FOLDER is not set\n";
my $server_port = $ENV{REAL_PORT} // die "REAL_PORT is not set\n";
my $is_asking = ($ENV{REAL_MODE} // '') eq 'ask';

# What the nginx of bench/real is built with.
my %present = map { $_ => 1 } qw(http charset proxy fastcgi uwsgi scgi ssi userid access auth_basic autoindex geo map referer
	memcached limit_conn limit_req empty_gif browser mirror split_clients cache symlink unix);

# Everything runs in one process, as heddle test needs it; files are read by threads of a pool.
my $globals = "pid $folder/nginx.pid;\nerror_log $folder/error.log notice;\nmaster_process off;\n"
	. "thread_pool default threads=2 max_queue=64;\n";
my $globals_http = "root $folder;\naccess_log $folder/access.log;\naio threads;\nsendfile off;\noutput_buffers 1 8k;\n"
	. join('', map { "${_}_temp_path $folder/${_}_temp;\n" } qw(client_body proxy fastcgi uwsgi scgi));

sub new
{
	return bless {}, shift;
}

sub has
{
	my ($self, @features) = @_;
	for (@features) {
		Test::More::plan(skip_all => "no $_ here") unless $present{$_};
	}
	return $self;
}

# One more: that the server had nothing to complain about.
sub plan
{
	my ($self, $count) = @_;
	Test::More::plan(tests => $count + 1);
	$self->{is_planned} = 1;
	return $self;
}

sub DESTROY
{
	my ($self) = @_;
	return unless $is_asking && $self->{is_planned};
	# Heddle declines kernel AIO, which nginx complains about, and does without.
	my $errors = join '', grep { /\[(alert|emerg|crit)\]/ && !/io_setup/ } split /^/, $self->read_file('error.log');
	Test::More::is($errors, '', 'the server had nothing to complain about');
}

sub testdir
{
	return $folder;
}

sub todo_alerts
{
	return shift;
}

sub write_file
{
	my ($self, $name, $content) = @_;
	return $self if $is_asking && !$self->{is_running};
	open my $file, '>:raw', "$folder/$name" or die "$folder/$name: $!\n";
	print $file $content;
	close $file or die "$folder/$name: $!\n";
	return $self;
}

sub write_file_expand
{
	my ($self, $name, $content) = @_;
	$content =~ s/%%TEST_GLOBALS%%/$globals/g;
	$content =~ s/%%TEST_GLOBALS_HTTP%%/$globals_http/g;
	$content =~ s/%%TESTDIR%%/$folder/g;
	$content =~ s/127\.0\.0\.1:(8\d\d\d)/'127.0.0.1:' . port($1)/ge;
	$content =~ s/%%PORT_(\d+)%%/port($1)/ge;
	return $self->write_file($name, $content);
}

sub read_file
{
	my ($self, $name) = @_;
	open my $file, '<:raw', "$folder/$name" or die "$folder/$name: $!\n";
	local $/;
	return scalar <$file>;
}

sub port
{
	my ($number) = @_;
	die "only one server: no port $number\n" unless $number == 8080;
	return $server_port;
}

sub run
{
	my ($self) = @_;
	POSIX::_exit(0) unless $is_asking;
	$self->{is_running} = 1;
	$self->waitforsocket("127.0.0.1:$server_port") or die "the server does not answer\n";
	return $self;
}

# Who runs the test ends the server.
sub stop
{
	return shift;
}

sub waitforsocket
{
	my ($self, $peer) = @_;
	for (1 .. 1000) {
		return 1 if IO::Socket::INET->new(Proto => 'tcp', PeerAddr => $peer);
		select undef, undef, undef, 0.01;
	}
	return 0;
}

sub log_in { }
sub log_out { }

sub http_get
{
	my ($path, %extra) = @_;
	return http("GET $path HTTP/1.0\nHost: localhost\n\n", %extra);
}

sub http_head
{
	my ($path, %extra) = @_;
	return http("HEAD $path HTTP/1.0\nHost: localhost\n\n", %extra);
}

sub http
{
	my ($request, %extra) = @_;
	my $socket = http_start($request, %extra);
	return $extra{start} || !$socket ? $socket : http_end($socket);
}

# guarded CODE: what it returns, or undef after thirty seconds
sub guarded
{
	my ($code) = @_;
	my $result = eval {
		local $SIG{ALRM} = sub { die "timeout\n" };
		local $SIG{PIPE} = sub { die "the server closed the connection\n" };
		alarm 30;
		$code->();
	};
	alarm 0;
	return $result;
}

sub http_start
{
	my ($request, %extra) = @_;
	return guarded(sub {
		my $socket = $extra{socket} // IO::Socket::INET->new(Proto => 'tcp', PeerAddr => "127.0.0.1:$server_port")
			// die "cannot connect: $!\n";
		$socket->print($request);
		select undef, undef, undef, $extra{sleep} if $extra{sleep};
		return '' if $extra{aborted};
		$socket->print($extra{body}) if $extra{body};
		return $socket;
	});
}

sub http_end
{
	my ($socket) = @_;
	return guarded(sub {
		local $/;
		my $reply = $socket->getline();
		$socket->close();
		return $reply;
	});
}

sub http_content
{
	my ($text) = @_;
	return defined $text && $text =~ /\x0d?\x0a\x0d?\x0a(.*)/s ? $1 : undef;
}

1;
