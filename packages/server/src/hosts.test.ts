import { describe, expect, it } from 'vitest'
import { boundUrl, createAllowedHosts, serverUrl } from './hosts.ts'

describe('allowed hosts', () => {
  it.each([
    ['127.0.0.1', 'http://127.0.0.1:8201', 'http://127.0.0.1:8201'],
    ['10.0.0.11', 'http://10.0.0.11:8201', 'http://10.0.0.11:8201'],
    ['0.0.0.0', 'http://127.0.0.1:8201', 'http://0.0.0.0:8201'],
    ['::', 'http://127.0.0.1:8201', 'http://[::]:8201'],
    ['', 'http://127.0.0.1:8201', 'http://[::]:8201'],
  ])('of a server at %j: its URL is %s and it listens at %s', (host, reached, listens) => {
    expect([serverUrl(host, 8201), boundUrl(host, 8201)]).toEqual([reached, listens])
  })

  it('include a bound IPv6 address in brackets, but no other port', () => {
    const { allowsHost, allowsOrigin } = createAllowedHosts('fd00::1', 8201, [])
    expect(allowsHost('[fd00::1]:8201')).toBe(true)
    expect(allowsHost('[fd00::1]:80')).toBe(false)
    expect(allowsHost(undefined)).toBe(false)
    expect(allowsOrigin('http://[fd00::1]:8201')).toBe(true)
    expect(allowsOrigin('https://[fd00::1]:8201')).toBe(false)
  })

  it('include a configured name with and without its port, also behind TLS', () => {
    const { allowsHost, allowsOrigin } = createAllowedHosts('127.0.0.1', 8201, ['Box.test'])
    for (const host of ['box.test', 'BOX.TEST:8201']) expect(allowsHost(host)).toBe(true)
    for (const origin of ['https://box.test', 'http://box.test:8201']) expect(allowsOrigin(origin)).toBe(true)
    expect(allowsHost('box.test:1')).toBe(false)
  })
})
