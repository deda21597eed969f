import { connect } from 'node:net'

/** A minimal reader for a stream of text frames. */
export interface Reader {
  readonly pause: () => void
  readonly resume: () => void
  readonly close: () => void
  readonly closed: () => boolean
}

export interface Address {
  readonly port: number
  readonly path: string
  readonly token?: string
}

const TEXT = 1
const CLOSE = 8
const PING = 9

/** Opens a WebSocket and passes on the payload of every text frame. */
export function openReader(address: Address, heard: (text: Buffer) => void): Promise<Reader> {
  const { promise, resolve, reject } = Promise.withResolvers<Reader>()
  const socket = connect(address.port, '127.0.0.1')
  let closed = false
  const walk = walkFrames((kind, payload) => {
    if (kind === TEXT) heard(payload)
    else if (kind === PING) socket.write(pong(payload))
    else if (kind === CLOSE) socket.end()
  })
  let greeting = Buffer.alloc(0)
  const greet = (part: Buffer) => {
    greeting = Buffer.concat([greeting, part])
    const end = greeting.indexOf('\r\n\r\n')
    if (end < 0) return
    socket.off('data', greet)
    const answer = greeting.toString('latin1', 0, end)
    if (!answer.startsWith('HTTP/1.1 101')) return reject(new Error(answer))
    socket.on('data', walk)
    walk(greeting.subarray(end + 4))
    resolve({
      pause: () => socket.pause(),
      resume: () => socket.resume(),
      close: () => socket.destroy(),
      closed: () => closed,
    })
  }
  socket.on('data', greet)
  socket.on('error', reject)
  socket.on('close', () => {
    closed = true
  })
  const bearer = address.token ? `Authorization: Bearer ${address.token}\r\n` : ''
  socket.write(
    `GET ${address.path} HTTP/1.1\r\nHost: 127.0.0.1:${address.port}\r\nUpgrade: websocket\r\n` +
      `Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n${bearer}\r\n`,
  )
  return promise
}

/** Splits bytes into frames, however they arrive. */
export function walkFrames(heard: (kind: number, payload: Buffer) => void): (part: Buffer) => void {
  let parts: Buffer[] = []
  let waiting = 0
  let wanted = 2
  return (part) => {
    parts.push(part)
    waiting += part.length
    if (waiting < wanted) return
    const bytes = parts.length === 1 ? part : Buffer.concat(parts)
    let at = 0
    for (;;) {
      const size = frameLength(bytes, at)
      wanted = size ?? bytes.length - at + 1
      if (size === undefined || bytes.length - at < size) break
      const start = at + headLength(bytes[at + 1] ?? 0)
      at += size
      heard((bytes[at - size] ?? 0) & 15, bytes.subarray(start, at))
    }
    parts = at < bytes.length ? [bytes.subarray(at)] : []
    waiting = bytes.length - at
  }
}

const headLength = (size: number): number => (size === 127 ? 10 : size === 126 ? 4 : 2)

/** Returns the length of the frame that starts here, or nothing while its header is incomplete. */
function frameLength(bytes: Buffer, at: number): number | undefined {
  const size = bytes[at + 1]
  if (size === undefined) return undefined
  const head = headLength(size)
  if (bytes.length - at < head) return undefined
  if (head === 10) return head + Number(bytes.readBigUInt64BE(at + 2))
  return head + (head === 4 ? bytes.readUInt16BE(at + 2) : size)
}

/** Encodes a text frame as a server does. */
export function textFrame(payload: Buffer): Buffer {
  const head = Buffer.alloc(payload.length > 65_535 ? 10 : payload.length > 125 ? 4 : 2)
  head[0] = 128 | TEXT
  head[1] = head.length === 10 ? 127 : head.length === 4 ? 126 : payload.length
  if (head.length === 10) head.writeBigUInt64BE(BigInt(payload.length), 2)
  else if (head.length === 4) head.writeUInt16BE(payload.length, 2)
  return Buffer.concat([head, payload])
}

/** Clients must mask their frames. A mask of zeros leaves the bytes unchanged. */
const pong = (payload: Buffer): Buffer =>
  Buffer.concat([Buffer.from([138, 128 | payload.length, 0, 0, 0, 0]), payload])
