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
  ]

  it.each(hostile)('of nothing but %j takes time by its length', (part) => {
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
