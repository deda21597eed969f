import { describe, expect, it } from 'vitest'
import { redactText } from './text.ts'

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
    'curl -u ',
    'curl "',
    'docker login -p',
    'cookie=$a;',
    'Cookie: a=b; ',
    'set token ',
    'PRIVATE KEY-----"-----BEGIN ',
    ':AA',
    '-us1',
    'AKIA',
    '.atlasv1.',
    '\\u0041',
    '\\U00000041',
    '\\000041',
    '\\00000',
    '\\\\\\u00',
    '%41',
    '%25',
    '\u001b[',
    '\u001b]8;;',
    '^[[31',
    '\u200b',
    'ghp_abcdef\n',
    'x=\na',
    'Z2hwX2FhYWFhYWFhYWFhYWFhYWFhYWFh',
    'abcdefgh/',
    '://a:b/',
    '<password>',
    '"password", value=',
    'machine a login b password ',
    'pass="',
    'sig=',
    'response=',
    'pass=/',
    'key:5432:a:b',
    '"auth":"QUFB',
    'Private-Lines: 1\n',
    `${'QUFB'.repeat(19)}\n`,
    'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9eyJhbGciOiJIUzI1NiIs\n',
    'name: password\n  value:',
    '<password a="b" ',
    '\u009b31m',
    '\u001b[>4;',
    '\u001b[1 ',
    '\u001b(',
    '\\u001b[>',
    '%u0041',
    '`n',
    'SG.a1\n',
    '\npass: a1 ',
    'dbpass=',
    '<pass>',
    'machine a\n#b\n',
    'ftp://a:1/',
    "'://a:b,",
    'a1:AA\n',
    '1Q~a\n',
    'a.Ga\n',
    'AKIA1A2A3A\n',
  ]

  it.each(['eyJ', 'eyJa.', 'QUFB', 'sk-', '://', '%41', '\u200b'])(
    'with ten million characters of %j is processed',
    (part) => {
      expect(() => redactText(part.repeat(10_000_000 / part.length))).not.toThrow()
    },
  )

  it.each(hostile)('of repeated %j takes linear time', (part) => {
    const time = (length: number) => {
      const text = part.repeat(Math.ceil(length / part.length))
      const before = process.cpuUsage()
      redactText(text)
      return process.cpuUsage(before).user / 1_000
    }
    time(100_000)
    expect(time(1_000_000)).toBeLessThan(3_000)
  })
})
