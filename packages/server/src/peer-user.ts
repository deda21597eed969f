import { readdir, readFile, readlink } from 'node:fs/promises'
import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'
import { endianness } from 'node:os'
import { isLoopback } from '@panoptes/engine/home'
import { stripPrefixAndZone } from './auth/client-address.ts'

/** The user that runs the program at the other end of a connection, compared with the user of this process. */
export type PeerUser = 'same' | 'other' | 'unknown'

export interface Connection {
  readonly remoteAddress?: string | undefined
  readonly remotePort?: number | undefined
  readonly localAddress?: string | undefined
  readonly localPort?: number | undefined
}

/** Headers that proxies add. Behind a proxy, the user of the connection says nothing about the client. */
const FORWARDED = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
]

const ROOT = 0
/**
 * Linux shows this user id for all users without an id in our user namespace, so two different users may share it.
 */
const UNMAPPED = 65_534

/**
 * Finds the user of a loopback connection: Linux lists every socket with its user, and the peer's socket is the one
 * whose local address is our remote one. Root is `unknown` on either side: root can read every file anyway, and if
 * Panoptes runs as root, another user's browser opens it. A program of our own user that accepts connections itself
 * (`ssh -L`, `socat`, the server of an editor) may pass on what another user sends, so it is `unknown` too.
 */
export async function peerUser(
  connection: Connection,
  headers: IncomingHttpHeaders,
  own = process.getuid?.(),
): Promise<PeerUser> {
  const { remoteAddress = '', remotePort = 0, localAddress = '', localPort = 0 } = connection
  if (process.platform !== 'linux' || own === undefined) return 'unknown'
  if (FORWARDED.some((name) => headers[name] !== undefined)) return 'unknown'
  const [remote, local] = [normalizeAddress(remoteAddress), normalizeAddress(localAddress)]
  if (!isLoopback(remote) || !isLoopback(local)) return 'unknown'
  const wanted = { from: `${remote} ${remotePort}`, to: `${local} ${localPort}` }
  const tables = await Promise.all(
    ['/proc/net/tcp', '/proc/net/tcp6'].map((file) => readFile(file, 'utf8').catch(() => '')),
  )
  const sockets = tables.flatMap(parseSockets)
  const peer = peerSocket(sockets, wanted)
  if (peer === undefined) return 'unknown'
  if (peer.uid !== own) return peer.uid === ROOT || own === ROOT ? 'unknown' : 'other'
  if (own === UNMAPPED) return 'unknown'
  return (await isClientOnly(peer.inode, sockets)) ? 'same' : 'unknown'
}

interface Endpoints {
  readonly from: string
  readonly to: string
}

const ESTABLISHED = '01'
const LISTENS = '0A'

interface TcpSocket {
  readonly local: string
  readonly remote: string
  readonly state: string
  readonly uid: number
  readonly inode: string
}

/** Parses the rows of `/proc/net/tcp`. */
export const parseSockets = (table: string): TcpSocket[] =>
  table.split('\n').flatMap((line) => {
    const [, local = '', remote = '', state = '', , , , uid, , inode] = line.trim().split(/\s+/)
    return inode === undefined || !local.includes(':')
      ? []
      : [{ local, remote, state, uid: Number(uid), inode }]
  })

/** Finds the socket with these ends. Closing sockets are left out, since the kernel lists them under root. */
export function peerSocket(
  sockets: readonly TcpSocket[],
  { from, to }: Endpoints,
  order = endianness(),
): TcpSocket | undefined {
  const ports = [from, to].map((end) => Number(end.split(' ')[1]).toString(16).toUpperCase().padStart(4, '0'))
  return sockets.find(
    ({ local, remote, state }) =>
      state === ESTABLISHED &&
      parsePort(local) === ports[0] &&
      parsePort(remote) === ports[1] &&
      parseEndpoint(local, order) === from &&
      parseEndpoint(remote, order) === to,
  )
}

const parsePort = (end: string): string => end.slice(end.indexOf(':') + 1)

/**
 * Whether every process that holds this socket is only a client, as browsers are: it neither listens nor holds a
 * connection that it accepted. Returns false if no process is found, since a process that hides its files (such as
 * the one behind `ssh -L`) may pass connections on.
 */
async function isClientOnly(inode: string, sockets: readonly TcpSocket[]): Promise<boolean> {
  const listens = new Set(
    sockets.filter(({ state }) => state === LISTENS).map(({ local }) => parsePort(local)),
  )
  const served = new Set(
    sockets.filter(({ local }) => listens.has(parsePort(local))).map((socket) => `socket:[${socket.inode}]`),
  )
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  let isHeld = false
  for (const pid of pids) {
    const files = await openFiles(`/proc/${pid}/fd`)
    if (!files.includes(`socket:[${inode}]`)) continue
    // Panoptes passes nothing on to itself.
    if (Number(pid) !== process.pid && files.some((file) => served.has(file))) return false
    isHeld = true
  }
  return isHeld
}

const openFiles = async (folder: string): Promise<string[]> => {
  const names = await readdir(folder).catch(() => [])
  return Promise.all(names.map((name) => readlink(`${folder}/${name}`).catch(() => '')))
}

/**
 * Parses an end: `0100007F:1F90` is 127.0.0.1 port 8080. The address is in 32-bit words of the machine's byte
 * order.
 */
function parseEndpoint(text: string, order: 'BE' | 'LE'): string {
  const [hex = '', port = ''] = text.split(':')
  const bytes = Buffer.from(hex, 'hex')
  if (order === 'LE' && bytes.length % 4 === 0) bytes.swap32()
  return `${formatAddress(bytes)} ${Number.parseInt(port, 16)}`
}

function formatAddress(bytes: Buffer): string {
  if (bytes.length === 4) return bytes.join('.')
  const isMapped =
    bytes.length === 16 &&
    bytes.readUInt32BE(8) === 0xffff &&
    bytes.subarray(0, 8).every((byte) => byte === 0)
  if (isMapped) return bytes.subarray(12).join('.')
  const groups = Array.from({ length: 8 }, (_, at) => bytes.readUInt16BE(at * 2).toString(16))
  return normalizeAddress(groups.join(':'))
}

/** Normalizes an address, so that IPv4 and IPv6 sockets compare equal. */
function normalizeAddress(address: string): string {
  const text = stripPrefixAndZone(address)
  return isIP(text) === 6 ? (URL.parse(`http://[${text}]`)?.hostname.slice(1, -1) ?? text) : text
}
