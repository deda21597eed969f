import { fstatSync, openSync, readSync, watch } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { WebSocketServer } from 'ws'

/**
 * The floor: follows a file of JSON lines and passes them on with the same library, without storing anything.
 * Usage: `FILE WAIT_MS`. It prints its port.
 */
const [, , file = '', wait = '16'] = process.argv
const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false })
const input = openSync(file, 'r')
const buffer = Buffer.alloc(65_536)
let at = fstatSync(input).size
let half = ''
let waiting: unknown[] = []
let timer: NodeJS.Timeout | undefined

function read(): void {
  for (;;) {
    const length = readSync(input, buffer, 0, buffer.length, at)
    if (length === 0) break
    at += length
    // The lines of the benchmark are ASCII, so no character is split.
    const lines = (half + buffer.toString('utf8', 0, length)).split('\n')
    half = lines.pop() ?? ''
    for (const line of lines) waiting.push(JSON.parse(line))
  }
  if (waiting.length === 0 || timer) return
  if (wait === '0') send()
  else timer = setTimeout(send, Number(wait))
}

function send(): void {
  timer = undefined
  const text = JSON.stringify({ type: 'batch', data: waiting })
  waiting = []
  for (const client of server.clients) client.send(text)
}

server.on('listening', () => console.log((server.address() as AddressInfo).port))
watch(file, read)
process.stdin.on('end', () => process.exit()).resume()
