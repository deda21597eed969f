import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { redactText } from './text.ts'

// Made up, and put together here so that no scanner takes them for real ones.
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

describe('keys of well-known shapes', () => {
  it.each(secrets)('are replaced by [redacted:%s]', (label, secret) => {
    expect(redactText(`before ${secret} after`)).toEqual({
      text: `before [redacted:${label}] after`,
      removed: 1,
    })
    expect(redactText(secret).text).toBe(`[redacted:${label}]`)
    expect(redactText(`{"key":"${secret}"}`).text).not.toContain(secret.slice(12, 30))
  })

  it('are all found in one text, in any order', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([...secrets], { minLength: 1 }), (chosen) => {
        const { text, removed } = redactText(chosen.map(([, secret]) => secret).join('\n'))
        expect(removed).toBe(chosen.length)
        expect(text).toBe(chosen.map(([label]) => `[redacted:${label}]`).join('\n'))
      }),
    )
  })
})

describe('values that their name gives away', () => {
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
    ['https://me:p@ss@host/x', 'https://me:[redacted:password]@host/x'],
  ])('%s', (text, expected) => {
    expect(redactText(text).text).toBe(expected)
  })

  it('go whole however long they are', () => {
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
  ])('stays: %s', (text) => {
    expect(redactText(text)).toEqual({ text, removed: 0 })
  })

  it('stays when it has no letter of a secret in it', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-d0-9 ./,-]{0,200}$/), (text) => {
        expect(redactText(text)).toEqual({ text, removed: 0 })
      }),
    )
  })
})

describe('hostile text', () => {
  const hostile = [
    'sk-',
    'sk-a-',
    'ghp_',
    'eyJ',
    'eyJa.',
    'eyJhbGciOiJI.eyJ',
    '://',
    '://a:',
    '://a:b@',
    'token:',
    'token=',
    'password="',
    '-----BEGIN ',
    'authorization: ',
    'bearer ',
    'Authorization:Bearer ',
    '--token ',
    'secret_key_',
    '\\',
    '"',
    'api_key: \\"',
    'pn_full_',
  ]

  it.each(hostile)('of nothing but %j takes time by its length', (part) => {
    const time = (length: number) => {
      const text = part.repeat(Math.ceil(length / part.length))
      const started = performance.now()
      redactText(text)
      return performance.now() - started
    }
    time(100_000)
    expect(time(1_000_000)).toBeLessThan(3_000)
  })
})
