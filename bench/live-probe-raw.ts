import { createHash } from 'node:crypto'
import { fstatSync, openSync, readSync, watch } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { textFrame } from './live-socket.ts'

/**
 * The minimum: passes the bytes of a file on in hand-made frames without parsing them. Usage: `FILE WAIT_MS`.
 * It prints its port.
 */
const [, , file = '', wait = '16'] = process.argv
const CHUNK = 262_144
const NEW_LINE = 10
const clients = new Set<Duplex>()
const input = openSync(file, 'r')
let at = fstatSync(input).size
let timer: NodeJS.Timeout | undefined
let waiting: Buffer[] = []

function read(): void {
  for (;;) {
    const buffer = Buffer.allocUnsafe(CHUNK)
    const length = readSync(input, buffer, 0, CHUNK, at)
    const end = buffer.subarray(0, length).lastIndexOf(NEW_LINE)
    if (end < 0) break
    waiting.push(buffer.subarray(0, end))
    at += end + 1
  }
  if (waiting.length === 0 || timer) return
  if (wait === '0') send()
  else timer = setTimeout(send, Number(wait))
}

function send(): void {
  timer = undefined
  for (const lines of waiting) {
    const text = lines.toString('utf8')
    const data = text.replaceAll('\n', ',')
    const frame = textFrame(Buffer.from(`{"type":"batch","data":[${data}]}`))
    for (const socket of clients) socket.write(frame)
  }
  waiting = []
}

const server = createServer()
server.on('upgrade', (request, socket) => {
  const key = `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`
  const accept = createHash('sha1').update(key).digest('base64')
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  )
  socket.on('error', () => socket.destroy())
  socket.on('close', () => clients.delete(socket))
  clients.add(socket)
})
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))
watch(file, read)
process.stdin.on('end', () => process.exit()).resume()
