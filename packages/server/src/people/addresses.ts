import type { IncomingHttpHeaders } from 'node:http'
import { BlockList, isIP } from 'node:net'

/** Those whose word is taken for where a request is from. */
export type Proxies = Pick<BlockList, 'check'>

/** Of this computer, and those that are named: addresses, or networks such as `10.0.0.0/8`. */
export function proxiesOf(named: readonly string[]): Proxies {
  const list = new BlockList()
  for (const each of ['127.0.0.0/8', '::1', ...named]) {
    const [address = '', bits] = each.split('/')
    const family = familyOf(address)
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return list
}

const OWN = proxiesOf([])

interface Asker {
  readonly headers: IncomingHttpHeaders
  readonly peer?: string | undefined
  readonly local?: string | undefined
  readonly proxies?: Proxies | undefined
}

/** Where a request comes from. Only a proxy that is known is believed, and of what it says only what it saw itself. */
export function clientOf({ headers, peer, proxies = OWN }: Asker): string {
  const from = plain(peer ?? '')
  if (isIP(from) === 0 || !proxies.check(from, familyOf(from))) return from
  const told = plain(headers['x-forwarded-for']?.toString().split(',').at(-1)?.trim() ?? '')
  return isIP(told) === 0 ? from : told
}

/** Whether it is from this computer itself, and through no proxy that others use. */
export function isFromHere(asker: Asker): boolean {
  const { headers, peer, local } = asker
  const { 'x-forwarded-for': through, forwarded, host = '' } = headers
  const [from, own] = [plain(peer ?? ''), plain(local ?? '')]
  // Nobody else can have the address that they speak to, whichever of this computer's it is.
  if (!isOwn(from) && (from === '' || from !== own)) return false
  if (forwarded !== undefined || (through !== undefined && !isOwn(clientOf(asker)))) return false
  const name = (URL.parse(`http://${host}`)?.hostname ?? '').replace(/^\[|\]$/g, '')
  return name === 'localhost' || isOwn(name) || (name !== '' && name === own)
}

/** Whose requests are counted together: one that has an address of IPv6 has all of its network. */
export const limitedAs = (address: string): string =>
  isIP(address) === 6 ? groups(address).slice(0, 4).join(':') : address

const isOwn = (address: string): boolean =>
  address === '::1' || (isIP(address) === 4 && address.startsWith('127.'))

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4'
}

/** An address of IPv4 as a socket of IPv6 tells it, and one without the zone of its link. */
const plain = (address: string): string => address.replace(/^::ffff:(?=[\d.]+$)/i, '').replace(/%.*$/, '')

function groups(address: string): readonly string[] {
  const [left = '', right] = address.toLowerCase().split('::')
  const before = left === '' ? [] : left.split(':')
  if (right === undefined) return before
  const after = right === '' ? [] : right.split(':')
  return [...before, ...Array(Math.max(0, 8 - before.length - after.length)).fill('0'), ...after]
}
