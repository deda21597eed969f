import { describe, expect, it } from 'vitest'
import { BOUNDARIES, SECRET_KINDS } from './secrets.test-kit.ts'
import { redactText } from './text.ts'

describe.each(Object.entries(BOUNDARIES))('a key %s', (_name, write) => {
  it.each(Object.entries(SECRET_KINDS))('is removed: %s', (_kind, make) => {
    const secret = make()
    const { text, spelled } = write(secret)
    const { text: clean, removed } = redactText(text)
    expect(removed, text).toBeGreaterThan(0)
    expect(clean).not.toContain(spelled)
    expect(clean).not.toContain(secret.slice(-12))
    expect(redactText(clean).text).toBe(clean)
  })
})

describe('the surroundings of a key', () => {
  const key = `ghp_${'aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zAbCdE'}`
  const gone = '[redacted:github-token]'
  it.each([
    ['\\n', '\\n'],
    ['\\u0022', '\\u0022'],
    ['%0A', '%0A'],
    ['\u001b[31m', '\u001b[0m'],
    ['\\u001b[1;31m', '\\u001b[0m'],
    ['\u200b', '\u200b'],
    ['&quot;', '&quot;'],
    ['caf\u00e9 %7B', '%7D 100%'],
  ])('stay unchanged: %j … %j', (before, after) => {
    expect(redactText(`${before}${key}${after}`).text).toBe(`${before}${gone}${after}`)
    const [head, tail] = [key.slice(0, 7), key.slice(7)]
    const glued = `key\u001b[K${head}\u001b[m\u001b[K${tail}${after}`
    expect(redactText(glued).text).toBe(`key\u001b[K${gone}${after}`)
    expect(redactText(`${before}${head}\u001b[0m${tail}${after}`).text).toBe(`${before}${gone}${after}`)
  })

  it('stay unchanged around a key wrapped over lines', () => {
    for (const lineEnd of ['\n', '\r\n    ', '\\n', '\\\n  '])
      expect(redactText(`a ${key.slice(0, 14)}${lineEnd}${key.slice(14)} z`).text).toBe(`a ${gone} z`)
    const words = `npm_config\nregistry hf_hub\nnpm_lifecycle\nevent1 ghp_short\nA1b2`
    expect(redactText(words)).toEqual({ text: words, removed: 0 })
  })

  it('stay unchanged in base64 before and after the key', () => {
    const encode = (text: string) => Buffer.from(text).toString('base64')
    const { text } = redactText(encode(`before12 ${key} and after`))
    expect(text).toMatch(/^[A-Za-z0-9+/]{12}\[redacted:github-token\][A-Za-z0-9+/=]+$/)
    expect(Buffer.from(text.slice(0, 12), 'base64').toString()).toBe('before12 ')
  })
})

describe('wrapped keys', () => {
  const chance = 'aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zAbCdE'
  const wrap = (text: string, width: number) => text.match(new RegExp(`.{1,${width}}`, 'g')) ?? []

  it.each(['\n', '\r\n', '\\n', '\n  '])('are found in base64 with lines ending in %j', (lineEnd) => {
    const before = 'some words that come before the key, so that it stands at the end of a line'
    for (const width of [64, 76]) {
      const lines = wrap(Buffer.from(`${before} ghp_${chance} end`).toString('base64'), width)
      const { text, removed } = redactText(`data:${lineEnd}${lines.join(lineEnd)}`)
      expect(removed).toBe(1)
      const left = text.replaceAll(lineEnd, '').replace('data:', '').split('[redacted:github-token]')
      const spelled = left.map((part) => Buffer.from(part, 'base64').toString()).join('')
      expect(spelled).not.toContain(chance.slice(2, 12))
      expect(spelled).not.toContain(chance.slice(-10))
    }
  })

  it.each([
    ['sendgrid', 'SG.', 0],
    ['telegram', ':AA', 0],
    ['discord', '.G', 0],
    ['azure client secret', 'Q~', 0],
    ['aws id', 'AKIA', 6],
    ['twilio', 'SK', 6],
    ['databricks', 'dapi', 6],
    ['shopify', 'shpat_', 6],
    ['mailgun', 'key-', 6],
    ['digitalocean', 'dop_v1_', 6],
    ['age', 'AGE-SECRET-KEY-1', 6],
  ])('are removed wherever the line ends outside their mark: %s', (kind, mark, least) => {
    const key = SECRET_KINDS[kind]?.() ?? ''
    const before = key.indexOf(mark)
    const cuts = Array.from({ length: key.length - 1 }, (_, at) => at + 1).filter(
      (at) => at <= before || at >= before + mark.length + least,
    )
    expect(cuts.length).toBeGreaterThan(9)
    const parts = Array.from({ length: key.length - 9 }, (_, at) => key.slice(at, at + 10))
    for (const at of cuts) {
      for (const lineEnd of ['\n', '\r\n  ', '\\n']) {
        const { text } = redactText(`first\nuse ${key.slice(0, at)}${lineEnd}${key.slice(at)} here\nlast`)
        expect(parts.filter((part) => text.includes(part))).toEqual([])
        expect(text).toMatch(/^first\nuse .*\[redacted:[\w-]+\] here\nlast$/s)
      }
    }
  })

  it('are not assembled from ordinary lines', () => {
    const prose =
      'see msg.\nSG.\nabc and 12:AA\nwords_that_go_on_and_on_and_on_for_a_while id Q~\nsome AKIA\nABCDEFGHIJKLMNOP' +
      '\nMeasuredAndNamedObjects.Gadget\n.values\nfoo.Get\n  .bar()\n0123456789abcdef\nen-us1\n'
    expect(redactText(prose)).toEqual({ text: prose, removed: 0 })
  })

  it('are removed with all their lines when the first line is long enough', () => {
    const key = `sk-ant-api03-${chance}${chance}${chance}`
    const jwt = `${['{"alg":"HS256","typ":"JWT"}', `{"sub":"${chance}"}`].map((part) => Buffer.from(part).toString('base64url')).join('.')}.${chance}`
    for (const lineEnd of ['\n', '\\n']) {
      for (const [secret, label] of [
        [key, 'anthropic-key'],
        [jwt, 'jwt'],
      ] as const)
        expect(redactText(`a ${wrap(secret, 50).join(lineEnd)} z`).text).toBe(`a [redacted:${label}] z`)
      const words = `sk-ant-api03-${chance}${lineEnd}ordinary words ${lineEnd}PASSED 12 of 12`
      expect(redactText(words).text).toBe(words.replace(/sk-ant\S*?(?=\\|\n)/, '[redacted:anthropic-key]'))
    }
  })
})

describe('values behind escapes', () => {
  const encode = encodeURIComponent
  it.each([
    [
      encode('{"password":"hunter2"}'),
      encode('{"password":"hunter2"}').replace('hunter2', '[redacted:password]'),
    ],
    [
      '%257B%2522password%2522%253A%2522hunter2%2522',
      '%257B%2522password%2522%253A%2522[redacted:password]%2522',
    ],
    [
      '{\\u0022password\\u0022:\\u0022hunter2\\u0022}',
      '{\\u0022password\\u0022:\\u0022[redacted:password]\\u0022}',
    ],
    ['&quot;password&quot;:&quot;hunter2&quot;', '&quot;password&quot;:&quot;[redacted:password]&quot;'],
    ['&lt;password&gt;hunter2&lt;/password&gt;', '&lt;password&gt;[redacted:password]&lt;/password&gt;'],
    ['\u001b[32mpassword\u001b[0m=hunter2', '\u001b[32mpassword\u001b[0m=[redacted:password]'],
    [
      '"\\u001b[36mapi_key\\u001b[0m": "abc123def456"',
      '"\\u001b[36mapi_key\\u001b[0m": "[redacted:api-key]"',
    ],
    ['pass\u200bword=hunter2', 'pass\u200bword=[redacted:password]'],
    ['cd x\\ncurl -u me:hunter2 y', 'cd x\\ncurl -u me:[redacted:password] y'],
    ['x\\ndocker login -u me -p S3cret r', 'x\\ndocker login -u me -p [redacted:password] r'],
    ['x\\n--token a1b2c3d4e5', 'x\\n--token [redacted:token]'],
    ['got\\nBearer a1b2c3d4e5f6g7h8', 'got\\nBearer [redacted:authorization]'],
    ['Authorization%3A%20Bearer%20a1b2c3d4e5f6', 'Authorization%3A%20Bearer%20[redacted:authorization]'],
  ])('are redacted in %j', (text, expected) => {
    expect(redactText(text).text).toBe(expected)
  })
})

describe('ordinary text with escapes', () => {
  it.each([
    'C:\\new\\token\\bin\\npm_modules\\readme.txt and \\\\server\\share\\nice',
    'printf("%5d %-20s 100%% %2Fpath\\n", count)',
    'https://example.test/a%20b%2Fc?q=%7B%22id%22%3A12%7D&x=1&amp;y=2&nbsp;',
    '\u001b[32m✓\u001b[0m 12 tests \u001b[90m(3.4s)\u001b[39m pass=12 PASS: TestFoo2 {"pass": 12, "fail": 0}',
    '\\u4e2d\\u6587 \\u00e9t\\u00e9 family \u{1f468}\u200d\u{1f469}\u200d\u{1f467} \\x41\\x42 \\033[0m',
    'aGVsbG8gd29ybGQsIHRoaXMgaXMganVzdCBhIGdyZWV0aW5n',
    'src/components/AchievementCard/AchievementCardHeaderIconButton.test.tsx',
    '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    'http://localhost:8080/@scope/name http://localhost:PORT/a@b https://x.test/@me/p?to=a@b.c',
    '<label>Password</label> <Token>name</Token> Map<string, Token>x</a> <Password>Enter your password</Password>',
    'the machine you log in to, default login page, password reset; if (pass) return fail',
    'the tests pass: 12, and these pass: test2\npass: 12\npass: 3ms\n{ pass: 12, fail: 0 }\nPASS: suite2\npass: src/a2.ts',
    'we pass: x1 here, pass: opts2.pass, pass: read(2), bypass=lane2 compass=north1 <pass>12</pass>',
    '(see http://a:b) and me@x.test, [http://localhost:PORT](mailto:me@x.test), http://a:8080,http://b@c',
    "['http://host:name','me@host.test'] docker://host:5000/app@sha256 https://u:1234/56@host.test",
    '<password>no</password> {"password": "yes"}',
    "result ? 'PASS' : 'NOT-RUN', pass=second, signature=none, response=ok, sig=abc",
    '{"name": "TOKEN_COUNT", "value": "12"} {"type": "password", "required": "true"}',
    'x =\n  y\nlong_name_of_a_thing=\nother_name_of_a_thing',
  ])('stays unchanged: %j', (text) => {
    expect(redactText(text)).toEqual({ text, removed: 0 })
  })
})

describe('credentials with a known form', () => {
  const hash = '0123456789abcdef'.repeat(2)
  it.each([
    ['https://me:pa#ss@host.test/x', 'https://me:[redacted:password]@host.test/x'],
    ['https://me:pa/ss@host.test/x', 'https://me:[redacted:password]@host.test/x'],
    ['https://me:pa?s#s/@1@host.test/x', 'https://me:[redacted:password]@host.test/x'],
    ['redis://:p/w1@localhost:6379', 'redis://:[redacted:password]@localhost:6379'],
    ...Array.from(",()'[]{}|").map((sign): [string, string] => [
      `postgres://app:hun${sign}ter2x@db.internal:5432/app`,
      'postgres://app:[redacted:password]@db.internal:5432/app',
    ]),
    ['mysql://u:1234/56@host:3306/db', 'mysql://u:[redacted:password]@host:3306/db'],
    ['https://u:99999/56@host.test/x', 'https://u:[redacted:password]@host.test/x'],
    ["open('ftp://me:a,b@c.test', 'x@y')", "open('ftp://me:[redacted:password]@c.test', 'x@y')"],
    [
      'machine a.test login me password "hunter 22"',
      'machine a.test login me password "[redacted:password]"',
    ],
    [
      'machine a.test\n# of the office\nlogin me\n  # changed\npassword z1\n',
      'machine a.test\n# of the office\nlogin me\n  # changed\npassword [redacted:password]\n',
    ],
    ['<password>x1y</password>', '<password>[redacted:password]</password>'],
    ['<pass>hunter2</pass>', '<pass>[redacted:password]</pass>'],
    ['DBPASS=hunter2 PGPASS=correcthorse', 'DBPASS=[redacted:password] PGPASS=[redacted:password]'],
    ['{"dbpass":"hunter2"}', '{"dbpass":"[redacted:password]"}'],
    ['user: me\npass: hunter2\nhost: x', 'user: me\npass: [redacted:password]\nhost: x'],
    ['  3\u2192  pass: "hunter2"', '  3\u2192  pass: "[redacted:password]"'],
    ["{ user: 'me', pass: 'hunter2' }", "{ user: 'me', pass: '[redacted:password]' }"],
    ['machine a.test login me password hunter22', 'machine a.test login me password [redacted:password]'],
    [
      'machine a.test\\n  login me\\n  password z1\\n',
      'machine a.test\\n  login me\\n  password [redacted:password]\\n',
    ],
    ['default\n\tlogin me\n\tpassword z1\n', 'default\n\tlogin me\n\tpassword [redacted:password]\n'],
    ['<password>x1y2</password>', '<password>[redacted:password]</password>'],
    ['<db:apiKey>abc123def4</db:apiKey>', '<db:apiKey>[redacted:api-key]</db:apiKey>'],
    ['<add key="password" value="hunter2"/>', '<add key="password" value="[redacted:password]"/>'],
    ['{"name":"DB_PASSWORD","value":"hunter2"}', '{"name":"DB_PASSWORD","value":"[redacted:password]"}'],
    ['PASS=hunter2 PASS=correcthorse', 'PASS=[redacted:password] PASS=[redacted:password]'],
    ['{"user":"a","pass":"hunter2"}', '{"user":"a","pass":"[redacted:password]"}'],
    ['openssl -passin pass:hunter2 x', 'openssl -passin pass:[redacted:password] x'],
    [`?sv=2024&sig=${'aB3%2F'.repeat(8)}%3D&se=1`, '?sv=2024&sig=[redacted:signature]&se=1'],
    [
      `Digest username="a", response="${hash}", qop=auth`,
      'Digest username="a", response="[redacted:authorization]", qop=auth',
    ],
    [`Signature=${hash}${hash}`, 'Signature=[redacted:signature]'],
  ])('are redacted in %j', (text, expected) => {
    expect(redactText(text).text).toBe(expected)
    expect(redactText(expected)).toEqual({ text: expected, removed: 0 })
  })
})
