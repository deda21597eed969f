import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { redactText } from './text.ts'

// Invented, and assembled here so that no scanner takes them for real keys.
const body = (length: number) =>
  'aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zAbCdEfGhIjKlMnOpQrStUvWxYz0123456789'.slice(0, length)
const join = (...parts: string[]) => parts.join('')

const secrets: readonly (readonly [label: string, secret: string])[] = [
  ['openai-key', join('sk', '-', body(48))],
  ['openai-key', join('sk', '-proj-', body(20), '_', body(20), '-', body(20))],
  ['anthropic-key', join('sk', '-ant-api03-', body(40), '-', body(30), 'AA')],
  ['openrouter-key', join('sk', '-or-v1-', '0123456789abcdef'.repeat(4))],
  ['openai-key', join('sk', '-', '0123456789abcdef'.repeat(2))],
  ['github-token', join('ghp', '_', body(36))],
  ['github-token', join('gho', '_', body(36))],
  ['github-token', join('github', '_pat_', body(22), '_', body(59))],
  ['gitlab-token', join('glpat', '-', body(20))],
  ['aws-key', join('AKIA', 'Q3EXAMPLE7ABCDEF')],
  ['google-key', join('AIza', body(35))],
  ['slack-token', join('xoxb', '-1234567890-', body(24))],
  ['slack-token', join('xoxp', '-1234567890-', body(24))],
  ['huggingface-token', join('hf', '_', body(34))],
  ['npm-token', join('npm', '_', body(36))],
  ['jwt', join('eyJ', 'hbGciOiJIUzI1NiJ9', '.', 'eyJ', 'zdWIiOiIxMjM0NTY3ODkwIn0', '.', body(43))],
  ['panoptes-token', join('pn', '_full_', body(43))],
  ['panoptes-token', join('pn', '_ing_', body(43))],
  ['panoptes-token', join('pn', '_gw_', body(43))],
  ['sendgrid-key', join('SG', '.', body(22), '.', body(43))],
  ['digitalocean-token', join('dop', '_v1_', '0123456789abcdef'.repeat(4))],
  ['telegram-token', join('1234567890', ':AA', body(33))],
  ['pypi-token', join('pypi', '-AgEIcHlwaS5vcmc', body(60))],
  ['slack-token', join('xapp', '-1-A0123456789-', body(30))],
  ['google-token', join('ya29', '.', body(40))],
  ['google-secret', join('GOCSPX', '-', body(28))],
  ['linear-key', join('lin', '_api_', body(40))],
  ['notion-token', join('ntn', '_', body(46))],
  ['notion-token', join('secret', '_', body(43))],
  ['shopify-token', join('shpat', '_', '0123456789abcdef'.repeat(2))],
  ['databricks-token', join('dapi', '0123456789abcdef'.repeat(2))],
  ['twilio-key', join('SK', '0123456789abcdef'.repeat(2))],
  ['doppler-token', join('dp.st', '.dev.', body(43))],
  ['age-key', join('AGE-SECRET', '-KEY-1', 'QPZRY9X8GF'.repeat(6).slice(0, 58))],
  ['vault-token', join('hvs', '.', body(40))],
  ['netlify-token', join('nfp', '_', body(36))],
  ['vercel-token', join('vcp', '_', body(40))],
  ['fly-token', join('fm2', '_', body(60))],
  ['docker-token', join('dckr', '_pat_', body(27))],
  ['azure-secret', join('abc', '8Q~', body(34))],
  ['mailchimp-key', join('0123456789abcdef'.repeat(2), '-us', '12')],
  [
    'private-key',
    join(
      '-----BEGIN RSA ',
      'PRIVATE KEY-----\n',
      body(60),
      '\n',
      body(30),
      '\n-----END RSA ',
      'PRIVATE KEY-----',
    ),
  ],
]

describe('keys with a well-known form', () => {
  it.each(secrets)('are replaced by [redacted:%s]', (label, secret) => {
    expect(redactText(`before ${secret} after`)).toEqual({
      text: `before [redacted:${label}] after`,
      removed: 1,
    })
    expect(redactText(secret).text).toBe(`[redacted:${label}]`)
    expect(redactText(`{"key":"${secret}"}`).text).not.toContain(secret.slice(12, 30))
  })

  it('are all found in one text in any order', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([...secrets], { minLength: 1 }), (chosen) => {
        const { text, removed } = redactText(chosen.map(([, secret]) => secret).join('\n'))
        expect(removed).toBe(chosen.length)
        expect(text).toBe(chosen.map(([label]) => `[redacted:${label}]`).join('\n'))
      }),
    )
  })
})

describe('values with a secret name', () => {
  it.each([
    ['password=hunter2', 'password=[redacted:password]'],
    ['PASSWORD=correcthorse', 'PASSWORD=[redacted:password]'],
    ['password: hunter2', 'password: [redacted:password]'],
    ['{"password":"hunter"}', '{"password":"[redacted:password]"}'],
    ['{\\"password\\":\\"hunter2\\"}', '{\\"password\\":\\"[redacted:password]\\"}'],
    ['DB_PASSWORD="s3cret pass"', 'DB_PASSWORD="[redacted:password]"'],
    ["api_key: 'abc123def456'", "api_key: '[redacted:api-key]'"],
    ['x-api-key: 9f8e7d6c5b4a', 'x-api-key: [redacted:api-key]'],
    ['export GITHUB_TOKEN=a1b2c3d4e5f6', 'export GITHUB_TOKEN=[redacted:token]'],
    ['https://example.test/?token=a1b2c3d4e5&x=1', 'https://example.test/?token=[redacted:token]&x=1'],
    ['aws_secret_access_key = wJalrXUtnFEMI1K7MDENG', 'aws_secret_access_key = [redacted:secret]'],
    ['deploy --token a1b2c3d4e5 --dry-run', 'deploy --token [redacted:token] --dry-run'],
    ['Authorization: Bearer a1b2c3d4e5f6', 'Authorization: Bearer [redacted:authorization]'],
    ['Authorization: Basic dXNlcjpwYXNz', 'Authorization: Basic [redacted:authorization]'],
    [`curl -H 'authorization: token abc123def'`, `curl -H 'authorization: token [redacted:authorization]'`],
    ['"Authorization":"Bearer zyx98765"', '"Authorization":"Bearer [redacted:authorization]"'],
    ['sent Bearer a1b2c3d4e5f6g7h8', 'sent Bearer [redacted:authorization]'],
    ['postgres://app:hunter2@db:5432/x', 'postgres://app:[redacted:password]@db:5432/x'],
    ['curl -u admin:Passw0rd123 http://x', 'curl -u admin:[redacted:password] http://x'],
    ['curl -sSLu admin:pw http://x', 'curl -sSLu admin:[redacted:password] http://x'],
    ['curl -X POST --user "a:b c" x', 'curl -X POST --user "a:[redacted:password]" x'],
    [
      'curl -H "Authorization: Bearer a1b2c3d4e5" -u a:hunter x',
      'curl -H "Authorization: Bearer [redacted:authorization]" -u a:[redacted:password] x',
    ],
    ['bash -c "curl -u a:hunter"', 'bash -c "curl -u a:[redacted:password]"'],
    ['curl \\\n  --user=a:hunter \\\n  x', 'curl \\\n  --user=a:[redacted:password] \\\n  x'],
    ['Cookie: sid=abcdef01; theme=dark', 'Cookie: sid=[redacted:cookie]; theme=[redacted:cookie]'],
    ['Set-Cookie: sid=abcdef01; Path=/; Secure', 'Set-Cookie: sid=[redacted:cookie]; Path=/; Secure'],
    ["curl -b 'sid=abcdef' x", "curl -b 'sid=[redacted:cookie]' x"],
    ['sshpass -p MySecretPw ssh h', 'sshpass -p [redacted:password] ssh h'],
    ["sshpass -p 'my pw' ssh -p 22 h", "sshpass -p '[redacted:password]' ssh -p 22 h"],
    ['mysql -u root -pSuperSecret db', 'mysql -u root -p[redacted:password] db'],
    ['docker login -u me -p S3cret reg', 'docker login -u me -p [redacted:password] reg'],
    ['podman login --password hunter reg', 'podman login --password [redacted:password] reg'],
    ['redis-cli -h x -a hunter ping', 'redis-cli -h x -a [redacted:password] ping'],
    ['PASSWORD="correct horse battery"', 'PASSWORD="[redacted:password]"'],
    ['{"password":"pa\\"ss\\\\"}', '{"password":"[redacted:password]"}'],
    ['{"password":12345678}', '{"password":"[redacted:password]"}'],
    ['set -x SECRET_TOKEN abcdefgh1234', 'set -x SECRET_TOKEN [redacted:token]'],
    ['DB_PASS=hunter2', 'DB_PASS=[redacted:password]'],
    ['secret_key=/aB3dE5gH7jK9mN1pQ2rS4tU=', 'secret_key=[redacted:secret]'],
    ['token: +aB3dE5gH7jK9', 'token: [redacted:token]'],
    ['hash password="$2b$10$abcdefgh"', 'hash password="[redacted:password]"'],
    [
      'AccountName=x;AccountKey=aB3dE5gH7jK9mN1p==;EndpointSuffix=y',
      'AccountName=x;AccountKey=[redacted:api-key];EndpointSuffix=y',
    ],
    [
      `${join('AKIA', 'Q3EXAMPLE7ABCDEF')},${join('wJalrXUtnFEMI1K7MDENG/', 'bPxRfiCYzzzzzzKEYz')}`,
      '[redacted:aws-key],[redacted:aws-secret]',
    ],
    [
      'redis://:p4ss@h:6379 ftp://u:%40ss@h',
      'redis://:[redacted:password]@h:6379 ftp://u:[redacted:password]@h',
    ],
    ['https://me:p@ss@host/x', 'https://me:[redacted:password]@host/x'],
    ["$config['db_password'] = 'hunter2';", "$config['db_password'] = '[redacted:password]';"],
    ['os.environ["DB_PASSWORD"] = "hunter2"', 'os.environ["DB_PASSWORD"] = "[redacted:password]"'],
    ['- name: DB_PASSWORD\n  value: hunter2', '- name: DB_PASSWORD\n  value: [redacted:password]'],
    [
      '- name: DB_PASSWORD\\n  value: \\"a b c\\"',
      '- name: DB_PASSWORD\\n  value: \\"[redacted:password]\\"',
    ],
    ['<password type="text">hunter2</password>', '<password type="text">[redacted:password]</password>'],
    ['<password><![CDATA[hunter2<]]></password>', '<password><![CDATA[[redacted:password]]]></password>'],
    ['<code>password: hunter2</code>', '<code>password: [redacted:password]</code>'],
    ['\u001b[KPASS=hunter2\u001b[0m', '\u001b[KPASS=[redacted:password]\u001b[0m'],
    ['db.example.com:5432:app:me:hunter2', 'db.example.com:5432:app:me:[redacted:password]'],
    ['*:*:*:me:hunter2', '*:*:*:me:[redacted:password]'],
    ['"auth": "bWU6aHVudGVyMg=="', '"auth": "[redacted:authorization]"'],
    [
      '  1\u2192machine h\n  2\u2192  login me\n  3\u2192  password hunter2',
      '  1\u2192machine h\n  2\u2192  login me\n  3\u2192  password [redacted:password]',
    ],
    [
      'Private-Lines: 2\nAAAAIQC\nb0w==\nPrivate-MAC: 12',
      'Private-Lines: 2\n[redacted:private-key]\nPrivate-MAC: 12',
    ],
  ])('are redacted in %s', (text, expected) => {
    expect(redactText(text).text).toBe(expected)
  })

  it('are redacted with every line of a concatenated key, and up to the end of a truncated text', () => {
    const begin = join('-----BEGIN ', 'PRIVATE KEY-----')
    const parts = `"${begin}\\n" +\n  "${body(40)}\\n" +\n  "${join('-----END ', 'PRIVATE KEY-----')}"`
    expect(redactText(`key = ${parts};`).text).toBe('key = "[redacted:private-key]";')
    expect(redactText(`{"a":"${begin}\\n${body(40)}","b":1}`).text).toBe(
      '{"a":"[redacted:private-key]","b":1}',
    )
  })

  it('are redacted whole, however long they are', () => {
    const { text } = redactText(`password="${'x1'.repeat(5_000)}" next`)
    expect(text).toBe('password="[redacted:password]" next')
  })
})

describe('ordinary text', () => {
  it.each([
    'da39a3ee5e6b4b0d3255bfef95601890afd80709',
    '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
    '550e8400-e29b-41d4-a716-446655440000',
    '/home/me/projects/panoptes/packages/engine/src/redact/text.ts',
    'PWD=/home/me/projects/app',
    'PWD=/Users/Me2/Projects/App1 OLDPWD=/tmp/vitest-aB3xYz/Run12 PWD=C:/Users/me1',
    'mkdir -p dir/sub; ssh -p 22 host; docker run -p 80:80 --user 1000:1000 image; cp -pR a b',
    'mysql -u root -p db; curl -u name https://x; curl -sSL -p https://x; gh auth login -p https',
    'docker login --password-stdin -u me; curl -u "$USER:$PASS" x; sshpass -p "$PW" ssh h',
    'curl https://x; tool -u a:b',
    'Cookie: a small file. The cookie = sweet, set-cookie: none',
    'password: "Enter your password"',
    'task SK, msg.text, key-value, en-us1, https://x/a:AAb, cookies: 3, 12:AA',
    'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk',
    'toolu_01A2b3C4d5E6f7G8h9J0kLmN',
    'class="sk-toggleable__label sk-toggleable__label-arrow"',
    'a task-based-approach-with-many-words-in-one-slug-2026',
    'max_tokens: 4096, token_count=12345678, tokens=99999999',
    'the token: string argument and password: string',
    'const token = process.env.GITHUB_TOKEN',
    'login(token=token, password=password, api_key=config.api_key)',
    'password=$PASSWORD token=%TOKEN% api_key={{ key }} secret=<your-secret>',
    'token=$(cat file) secret=<your-secret>',
    'password: required, at least eight characters',
    'Authorization: required for every route',
    'the bearer of this letter, Bearer authentication and Bearer $TOKEN',
    'if (password == other) return secret === known',
    'https://example.test:8080/a@b and git@github.com:org/repo.git',
    'ssh://git@example.test/repo and https://user@example.test',
    '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
    'npm_config_registry npm_lifecycle_event hf_hub_download sk-learn ghp_short AKIA',
    'eyJust a word, eyJhbGciOiJIUzI1NiJ9 alone',
    'Token: the smallest unit. Secret: nobody knows.',
    'pn_full_name pn_ing_redients',
    '[redacted:openai-key] password=[redacted:password]',
  ])('stays unchanged: %s', (text) => {
    expect(redactText(text)).toEqual({ text, removed: 0 })
  })

  it('stays unchanged without any characteristic letter of a secret', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-d0-9 ./,-]{0,200}$/), (text) => {
        expect(redactText(text)).toEqual({ text, removed: 0 })
      }),
    )
  })
})

describe('any text', () => {
  const part = fc.oneof(
    fc.constantFrom(...secrets.map(([, secret]) => secret)),
    fc.constantFrom(
      'password=',
      '"password":',
      'token: ',
      'curl -u a:',
      'mysql -p',
      'Cookie: a=',
      '://u:',
      '@h',
      ';',
    ),
    fc.constantFrom(
      '"',
      "'",
      '\\',
      '\n',
      ' ',
      ',',
      '[',
      '}',
      '$',
      '/',
      '--token ',
      'docker login -p ',
      '-----BEGIN ',
    ),
    fc.constantFrom(
      '-----BEGIN PRIVATE KEY-----',
      '-----END PRIVATE KEY-----',
      'hunter2',
      '12345',
      'authorization: ',
    ),
    fc.string({ maxLength: 8 }),
  )
  const texts = fc.array(part, { maxLength: 12 }).map((parts) => parts.join(''))

  it('loses nothing more when it is redacted twice', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const once = redactText(text).text
        expect(redactText(once).text).toBe(once)
      }),
      { numRuns: 1_000 },
    )
  })

  it('stays valid JSON if it was, including JSON within JSON', () => {
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        texts,
        fc.integer(),
        fc.array(tie('tree'), { maxLength: 3 }),
        fc.dictionary(texts, tie('tree'), { maxKeys: 3 }),
      ),
    }))
    fc.assert(
      fc.property(tree, (value) => {
        const inner = JSON.stringify(value)
        for (const json of [inner, JSON.stringify(value, null, 2), JSON.stringify({ inner })])
          expect(() => JSON.parse(redactText(json).text)).not.toThrow()
      }),
      { numRuns: 500 },
    )
  })
})
