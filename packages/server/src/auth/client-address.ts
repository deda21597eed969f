import type { IncomingHttpHeaders } from 'node:http'
import { BlockList, isIP } from 'node:net'

/** The proxies whose `x-forwarded-for` header is believed. */
export type Proxies = Pick<BlockList, 'check'>

/** Trusts this computer and the named proxies: addresses, or networks such as `10.0.0.0/8`. */
export function createProxies(named: readonly string[]): Proxies {
  const list = new BlockList()
  for (const each of ['127.0.0.0/8', '::1', ...named]) {
    const [address = '', bits] = each.split('/')
    const family = addressFamily(address)
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return list
}

const OWN = createProxies([])

interface ConnectionHead {
  readonly headers: IncomingHttpHeaders
  readonly peer?: string | undefined
  readonly local?: string | undefined
  readonly proxies?: Proxies | undefined
}

/**
 * The address that a request comes from. Only a trusted proxy is believed, and only the last address in its header,
 * which is the one that it saw itself.
 */
export function clientAddress({ headers, peer, proxies = OWN }: ConnectionHead): string {
  const from = stripPrefixAndZone(peer ?? '')
  if (isIP(from) === 0 || !proxies.check(from, addressFamily(from))) return from
  const forwardedFor = stripPrefixAndZone(
    headers['x-forwarded-for']?.toString().split(',').at(-1)?.trim() ?? '',
  )
  return isIP(forwardedFor) === 0 ? from : forwardedFor
}

/** Whether the request comes from this computer itself, and not through a proxy that other computers use. */
export function isFromHere(asker: ConnectionHead): boolean {
  const { headers, peer, local } = asker
  const { 'x-forwarded-for': through, forwarded, host = '' } = headers
  const [from, own] = [stripPrefixAndZone(peer ?? ''), stripPrefixAndZone(local ?? '')]
  // No other computer can have the address that it connects to, whichever interface of this computer that is.
  if (!isLoopback(from) && (from === '' || from !== own)) return false
  if (forwarded !== undefined || (through !== undefined && !isLoopback(clientAddress(asker)))) return false
  const name = (URL.parse(`http://${host}`)?.hostname ?? '').replace(/^\[|\]$/g, '')
  return name === 'localhost' || isLoopback(name) || (name !== '' && name === own)
}

/** The key that rate limits count by. An IPv6 client usually has a whole /64 network, so the network is the key. */
export const rateLimitKey = (address: string): string =>
  isIP(address) === 6 ? splitGroups(address).slice(0, 4).join(':') : address

const isLoopback = (address: string): boolean =>
  address === '::1' || (isIP(address) === 4 && address.startsWith('127.'))

function addressFamily(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4'
}

/** Strips the IPv4-mapped prefix that an IPv6 socket reports, and the zone of a link-local address. */
export const stripPrefixAndZone = (address: string): string =>
  address.replace(/^::ffff:(?=[\d.]+$)/i, '').replace(/%.*$/, '')

function splitGroups(address: string): readonly string[] {
  const [left = '', right] = address.toLowerCase().split('::')
  const before = left === '' ? [] : left.split(':')
  if (right === undefined) return before
  const after = right === '' ? [] : right.split(':')
  return [...before, ...Array(Math.max(0, 8 - before.length - after.length)).fill('0'), ...after]
}
