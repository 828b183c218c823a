#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# vm: kernels=6.1 timeout=1800 machine=virtual
#
# Tomcat against its access log: one thread finds out who has sent something and hands
# the connection to one of a pool, whose pages ask Redis. Its %D, in microseconds, runs
# from the request line's first byte parsed to the answer handed to the kernel; but where
# it leaves a file to sendfile() it has logged before the first byte of it is sent.
. /job/servers.sh

requests=${REQUESTS:-300} files=40 connections=4 base=/tmp/tomcat

make_tomcat()
{
	mkdir -p $base/{conf,logs,temp,work,webapps/ROOT}
	cat >$base/conf/server.xml <<-'END'
	<Server port="-1">
	<Service name="own">
	<Connector address="127.0.0.1" port="8080" protocol="HTTP/1.1"
		maxKeepAliveRequests="-1" keepAliveTimeout="300000" maxThreads="8" minSpareThreads="8"/>
	<Connector address="127.0.0.1" port="8081" protocol="HTTP/1.1"
		maxKeepAliveRequests="-1" keepAliveTimeout="300000" maxThreads="8" minSpareThreads="8"/>
	<Engine name="own" defaultHost="localhost">
	<Host name="localhost" appBase="webapps" autoDeploy="false" deployOnStartup="false">
	<Context path="" docBase="ROOT"><JarScanner scanManifest="false" scanClassPath="false"/></Context>
	<Valve className="org.apache.catalina.valves.AccessLogValve" directory="/tmp" prefix="tomcat-access"
		suffix=".log" fileDateFormat="" rotatable="false" buffered="false" pattern="%D %s %U"/>
	</Host>
	</Engine>
	</Service>
	</Server>
	END
	cat >$base/conf/web.xml <<-'END'
	<web-app xmlns="https://jakarta.ee/xml/ns/jakartaee" version="6.0" metadata-complete="true">
	<servlet><servlet-name>default</servlet-name>
	<servlet-class>org.apache.catalina.servlets.DefaultServlet</servlet-class></servlet>
	<servlet><servlet-name>jsp</servlet-name>
	<servlet-class>org.apache.jasper.servlet.JspServlet</servlet-class>
	<init-param><param-name>development</param-name><param-value>false</param-value></init-param></servlet>
	<servlet-mapping><servlet-name>default</servlet-name><url-pattern>/</url-pattern></servlet-mapping>
	<servlet-mapping><servlet-name>jsp</servlet-name><url-pattern>*.jsp</url-pattern></servlet-mapping>
	</web-app>
	END
	cp "$www"/{small.html,large.bin} $base/webapps/ROOT/
	# No client library: it says "GET key" itself and reads the 11 bytes of the answer.
	cat >$base/webapps/ROOT/ask.jsp <<-'END'
	<%@page session="false"%><%
	java.util.zip.CRC32 sum = new java.util.zip.CRC32();
	for (int i = 0; i < 100000; i++)
		sum.update(i);
	try (java.net.Socket redis = new java.net.Socket("127.0.0.1", 6379)) {
		for (int i = 0; i < 3; i++) {
			redis.getOutputStream().write("GET key\r\n".getBytes());
			out.print(new String(redis.getInputStream().readNBytes(11)));
		}
	}
	%><%=sum.getValue()%>
	END
}

# This machine's time flies while it waits for its disk: let the waiting be over first.
start_tomcat()
{
	cat /usr/lib/jvm/*/lib/modules /usr/lib/jvm/*/lib/server/* /usr/share/java/*.jar >/dev/null
	java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:-UsePerfData -Xmx256m \
		-cp /usr/share/tomcat10/bin/bootstrap.jar:/usr/share/tomcat10/bin/tomcat-juli.jar \
		-Dcatalina.home=/usr/share/tomcat10 -Dcatalina.base=$base -Djava.io.tmpdir=$base/temp \
		org.apache.catalina.startup.Bootstrap start >/tmp/tomcat.log 2>&1 &
	echo $! >/tmp/tomcat.pid
	wait_until 600 listening 8080 || { diag "$(tail -n 30 /tmp/tomcat.log)"; exit 1; }
}

finish_first
make_www
make_tomcat
start_tomcat
diag "up $(cut -d' ' -f1 /proc/uptime) s after boot"
redis-server --daemonize yes --port 6379 --save '' >/dev/null
wait_for_port 6379 10
redis-cli set key value >/dev/null
# The first ones are compiled.
get 8080 60 $connections /ask.jsp /small.html
get 8081 20 $connections /large.bin
diag "warm $(cut -d' ' -f1 /proc/uptime) s after boot"
: >/tmp/tomcat-access.log
redis-cli config resetstat >/dev/null
measure tomcat
get 8080 "$requests" $connections /ask.jsp /small.html
get 8081 $files $connections /large.bin
measured
cp /tmp/tomcat-access.log /out/
grep -v ' /large.bin' /tmp/tomcat-access.log >/tmp/pages.log
grep ' /large.bin' /tmp/tomcat-access.log >/tmp/files.log
asked=$(redis-cli info commandstats | tr -d '\r' | sed -n 's/^cmdstat_get:calls=\([0-9]*\),.*/\1/p')
is "$(count 8080)" "$requests" 'pages: every request counted once'
is "$(lines /tmp/pages.log)" "$requests" 'pages: as many as its log has'
is "$(awk '$2 != 200' /tmp/tomcat-access.log | wc -l)" 0 'and all were answered well'
near "$(mean 8080 response_ns)" "$(mean_of /tmp/pages.log)" 'pages: mean response against %D' 0.0003
is "$asked" $((requests * 3 / 2)) 'Redis: asked three times by every second page'
is "$(calls 8080 6379)" "$asked" "pages: calls to Redis against Redis' own count"
is "$(count 6379)" "$asked" 'Redis: every command counted once'
is "$(count 8081)" $files 'files: every request counted once'
is "$(lines /tmp/files.log)" $files 'files: as many as its log has'
# Most of a file does not fit into the socket: sending it takes several times what is logged.
jq -en "$(cell_sum "$recording" 8081 bytes_out) > $((files * 3000000)) and
	$(mean 8081 response_ns) > 2 * $(mean_of /tmp/files.log)" >/dev/null &&
	ok 'files: their requests end with their last byte' ||
	not_ok 'files: their requests end with their last byte'
diag "files: mean $(mean 8081 response_ns) s, in its log $(mean_of /tmp/files.log) s"
is "$(tiers)" 'java:8080 java:8081 redis-server:6379' 'these tiers and no other'
nothing_lost
stop_pid /tmp/tomcat.pid
done_testing
