% SPDX-License-Identifier: GPL-2.0-or-later
% Writes oracle-queueing.txt with Debian's octave-queueing:
%   octave-cli -q selftests/model/oracle-queueing.m >selftests/model/oracle-queueing.txt
% A line is a kind, its input, "=", and what the oracle says. Servers: 0 is a delay.
1;
pkg load queueing;
function row(kind, input, output)
	printf("%s", kind); printf(" %.17g", input); printf(" ="); printf(" %.15g", output);
	printf("\n");
end
function closed(kind, n, z, m, d)
	% n, z: [classes]; m: [stations]; d: [classes x stations]
	[C, K] = size(d);
	mm = m; mm(m == 0) = -1;
	if strcmp(kind, "exact") && C == 1
		[u, r, q, x] = qncsmva(n, d, ones(1, K), mm, z);
	elseif strcmp(kind, "exact")
		one = repmat(mean(d, 1), C, 1); % what a visit takes, of all classes alike
		[u, r, q, x] = qncmmva(n, one, d ./ one, mm, z);
		r = r .* (d ./ one); x = x ./ (d ./ one);
	else
		[u, r, q, x] = qncmmvabs(n, d, ones(C, K), mm, z, 1e-13, 100000);
	end
	x1 = x(:, 1)';
	row(kind, [C, K, n, z, m, d'(:)'], [x1, r'(:)']);
end
rand("twister", 42);
warning("off", "all");
for i = 1:12 % one class
	K = 1 + floor(4 * rand());
	m = floor(4 * rand(1, K)); m(1) = 1;
	closed("exact", floor(1 + 60 * rand()), 2 * rand() * (i > 4), m, 0.01 + 0.2 * rand(1, K));
end
for i = 1:12 % several
	K = 1 + floor(4 * rand()); C = 2 + (i > 6);
	m = ones(1, K); m(1) = (i != 5); m(K) = 1 + (i > 9);
	closed("exact", floor(1 + 9 * rand(1, C)), 2 * rand(1, C) * (i > 4), m, ...
	       0.01 + 0.2 * rand(C, K));
end
for i = 1:10
	K = 1 + floor(4 * rand()); C = 1 + mod(i, 3);
	m = ones(1, K); m(1) = (i != 5);
	closed("schweitzer", floor(1 + 30 * rand(1, C)), 2 * rand(1, C) * (i > 4), m, ...
	       0.01 + 0.2 * rand(C, K));
end
for i = 1:8 % speeds by load: [stations x customers]
	K = 2 + mod(i, 3); N = 3 + i; % its mean values lose digits with more
	a = cumsum(rand(K, N) .* (rand(K, N) < 0.7), 2) + 0.3;
	d = 0.01 + 0.2 * rand(1, K); z = rand() * (i > 3);
	[u, r, q, x] = qncsmvald(N, d' ./ a, ones(1, K), z);
	row("load", [K, N, z, d, a'(:)'], [x(1), q]);
end
for i = 1:6
	l = 0.5 + 3 * rand(); m = 1 + floor(4 * rand()); s = m / l * (0.2 + 0.75 * rand());
	[u, r, q, x] = qsmmm(l, 1 / s, m); row("mmm", [l, s, m], [u, r, q, x]);
	k = m + floor(8 * rand());
	[u, r, q, x, p0, pk] = qsmmmk(l * 1.5, 1 / s, m, k); row("mmmk", [l * 1.5, s, m, k], [u, r, q, x, pk]);
	[u, r, q, x] = qsmm1(l, 1 / (s / m)); row("mm1", [l, s / m], [u, r, q, x]);
	s1 = s / m; c2 = 3 * rand();
	[u, r, q, x] = qsmg1(l, s1, s1 * s1 * (1 + c2)); row("mg1", [l, s1, c2], [u, r, q, x]);
end
for i = 1:6
	C = 1 + mod(i, 3); K = 1 + floor(4 * rand());
	m = ones(1, K); m(K) = (i > 3); % qnom takes several servers for one
	if C == 1, m = m + floor(2 * rand(1, K)); end
	d = 0.01 + 0.1 * rand(C, K); l = 2 * rand(1, C) + 0.5;
	l = l * (0.2 + 0.75 * rand()) / max((l * d) ./ max(m, 1));
	mm = m; mm(m == 0) = -1;
	if C == 1
		[u, r, q, x] = qnos(l, d, ones(1, K), mm);
	else
		[u, r, q, x] = qnom(l, d, repmat(l' / sum(l), 1, K), mm); % ratios of visits
	end
	row("open", [C, K, l, m, d'(:)'], r'(:)');
end
for i = 1:6
	K = 1 + floor(4 * rand()); d = 0.01 + 0.2 * rand(1, K); n = 2 * i; z = 3 * rand();
	[xl, xu, rl, ru] = qncsaba(n, d, ones(1, K), ones(1, K), z); row("asymptotic", [n, z, K, d], [xl, xu, rl, ru]);
	[xl, xu, rl, ru] = qncsbsb(n, d, ones(1, K), ones(1, K), z); row("balanced", [n, z, K, d], [xl, xu, rl, ru]);
end
