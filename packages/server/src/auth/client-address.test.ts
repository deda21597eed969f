import { describe, expect, it } from 'vitest'
import { clientAddress, createProxies, isFromHere, rateLimitKey } from './client-address.ts'

describe('the client address of a request', () => {
  it.each([
    ['198.51.100.7', undefined, '198.51.100.7'],
    ['198.51.100.7', '203.0.113.9', '198.51.100.7'],
    ['::ffff:198.51.100.7', undefined, '198.51.100.7'],
    ['127.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['::1', '203.0.113.9', '203.0.113.9'],
    ['10.1.2.3', '203.0.113.9', '203.0.113.9'],
    ['10.2.2.3', '203.0.113.9', '10.2.2.3'],
    ['::ffff:172.18.0.2', '203.0.113.9', '203.0.113.9'],
    ['fd00::2', '2001:db8::1', '2001:db8::1'],
    ['192.168.1.2', 'made-up, 203.0.113.9', '203.0.113.9'],
    ['192.168.1.2', '10.0.0.1, 203.0.113.9', '203.0.113.9'],
    ['192.168.1.2', 'not an address', '192.168.1.2'],
    ['192.168.1.2', '', '192.168.1.2'],
    ['172.32.0.1', '203.0.113.9', '172.32.0.1'],
  ])('for the peer %s with the header %j is %s', (peer, told, expected) => {
    const proxies = createProxies(['10.1.0.0/16', '172.16.0.0/12', 'fd00::/8', '192.168.1.2'])
    const headers = told === undefined ? {} : { 'x-forwarded-for': told }
    expect(clientAddress({ peer, headers, proxies })).toBe(expected)
  })

  it.each(['10.1.2.3', '172.18.0.2', '192.168.1.2', '169.254.1.1', 'fd00::2', 'fe80::1'])(
    'is %s itself, however near, unless it is a configured proxy',
    (peer) => {
      const headers = { 'x-forwarded-for': '203.0.113.9' }
      expect(clientAddress({ peer, headers })).toBe(peer)
      expect(clientAddress({ peer, headers, proxies: createProxies(['203.0.113.0/24']) })).toBe(peer)
    },
  )

  it('comes from a proxy on this computer, whichever others are configured', () => {
    const headers = { 'x-forwarded-for': '203.0.113.9' }
    for (const proxies of [undefined, createProxies([]), createProxies(['10.0.0.5'])])
      for (const peer of ['127.0.0.1', '::1', '::ffff:127.0.0.1'])
        expect(clientAddress({ peer, headers, proxies })).toBe('203.0.113.9')
  })

  it.each([
    [{ host: '127.0.0.1:8201' }, '127.0.0.1', true],
    [{ host: 'localhost:8201' }, '::1', true],
    [{ host: '[::1]:8201' }, '::1', true],
    [{ host: '127.0.0.1:8201' }, '::ffff:127.0.0.1', true],
    [{ host: '127.0.0.1:8201', 'x-forwarded-for': '127.0.0.1' }, '127.0.0.1', true],
    [{ host: '127.0.0.1:8201' }, '192.168.1.2', false],
    [{ host: 'panoptes.example' }, '127.0.0.1', false],
    [{ host: '127.0.0.1.evil.test' }, '127.0.0.1', false],
    [{ host: '127.0.0.1:8201', 'x-forwarded-for': '203.0.113.9' }, '127.0.0.1', false],
    [{ host: '127.0.0.1:8201', forwarded: 'for=127.0.0.1' }, '127.0.0.1', false],
    [{}, '127.0.0.1', false],
    [{ host: '127.0.0.1:8201' }, undefined, false],
  ])('is local with %j from %s: %s', (headers, peer, expected) => {
    expect(isFromHere({ headers, peer })).toBe(expected)
  })

  it.each([
    [{ host: '10.0.0.11:8201' }, '10.0.0.11', '10.0.0.11', true],
    [{ host: '10.0.0.11:8201' }, '::ffff:10.0.0.11', '::ffff:10.0.0.11', true],
    [{ host: '[fd00::2]:8201' }, 'fd00::2', 'fd00::2', true],
    [{ host: '10.0.0.11:8201' }, '10.0.0.12', '10.0.0.11', false],
    [{ host: '10.0.0.11:8201' }, '10.0.0.12', undefined, false],
    [{ host: '10.0.0.11:8201' }, undefined, undefined, false],
    [{ host: 'panoptes.example' }, '10.0.0.11', '10.0.0.11', false],
    [{ host: '10.0.0.12:8201' }, '10.0.0.11', '10.0.0.11', false],
    [{}, '10.0.0.11', '10.0.0.11', false],
    [{ host: '10.0.0.11:8201', 'x-forwarded-for': '203.0.113.9' }, '10.0.0.11', '10.0.0.11', false],
    [{ host: '10.0.0.11:8201', 'x-forwarded-for': '10.0.0.11' }, '10.0.0.11', '10.0.0.11', false],
    [{ host: '10.0.0.11:8201', forwarded: 'for=10.0.0.11' }, '10.0.0.11', '10.0.0.11', false],
  ])('is local with %j from %s to %s: %s', (headers, peer, local, expected) => {
    for (const proxies of [createProxies([]), createProxies(['10.0.0.0/8'])])
      expect(isFromHere({ headers, peer, local, proxies })).toBe(expected)
  })

  it('counts by network for an IPv6 client in rate limits', () => {
    expect(rateLimitKey('2001:db8:1:2::1')).toBe(rateLimitKey('2001:db8:1:2:ffff::9'))
    expect(rateLimitKey('2001:db8:1:2::1')).not.toBe(rateLimitKey('2001:db8:1:3::1'))
    expect(rateLimitKey('2001:db8::1')).toBe('2001:db8:0:0')
    expect(rateLimitKey('203.0.113.9')).toBe('203.0.113.9')
  })
})
