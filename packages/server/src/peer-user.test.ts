import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { parseSockets, peerSocket, peerUser } from './peer-user.ts'
import { asAnother } from './server.test-kit.ts'

const SOMEBODY = 64_123

const UNMAPPED = 65_534

const CLIENT = `require('node:net').connect(Number(process.argv[1]), '127.0.0.1')`
const FORWARDER = `const { connect, createServer } = require('node:net')
const server = createServer((socket) => socket.pipe(connect(Number(process.argv[1]), '127.0.0.1')))
server.listen(0, '127.0.0.1', () => console.log(server.address().port))`
/** One process listens and another one serves the accepted connection, as `socat` does with `fork`. */
const FORWARDER_IN_TWO = `const { spawn } = require('node:child_process')
const serve = "process.on('message', (port, socket) => socket.pipe(require('node:net').connect(port, '127.0.0.1'))); process.on('disconnect', () => process.exit())"
const worker = spawn(process.execPath, ['-e', serve], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
const server = require('node:net').createServer((socket) => worker.send(Number(process.argv[1]), socket))
server.listen(0, '127.0.0.1', () => console.log(server.address().port))`

const uidIn = (table: string, ends: { from: string; to: string }, order: 'BE' | 'LE') =>
  peerSocket(parseSockets(table), ends, order)?.uid

const HEAD =
  '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n'
const row = (local: string, remote: string, uid: number, state = '01') =>
  `   1: ${local} ${remote} ${state} 00000000:00000000 00:00000000 00000000  ${uid}        0 4711 1 0000 20 4 30 10 -1\n`

describe("the user of a socket in the kernel's table", () => {
  const ends = { from: '127.0.0.1 50000', to: '127.0.0.1 8201' }

  it("is that of the peer's end, not of our own", () => {
    const table = `${HEAD}${row('0100007F:2009', '0100007F:C350', 1)}${row('0100007F:C350', '0100007F:2009', 1000)}`
    expect(uidIn(table, ends, 'LE')).toBe(1000)
  })

  it('is found in either byte order', () => {
    expect(uidIn(row('7F000001:C350', '7F000001:2009', 7), ends, 'BE')).toBe(7)
    expect(uidIn(row('7F000001:C350', '7F000001:2009', 7), ends, 'LE')).toBeUndefined()
  })

  it('is found for IPv6 addresses, also mapped ones', () => {
    const mapped = row('0000000000000000FFFF00000100007F:C350', '0000000000000000FFFF00000100007F:2009', 8)
    expect(uidIn(mapped, ends, 'LE')).toBe(8)
    const six = row('00000000000000000000000001000000:C350', '00000000000000000000000001000000:2009', 9)
    expect(uidIn(six, { from: '::1 50000', to: '::1 8201' }, 'LE')).toBe(9)
    expect(uidIn(six, ends, 'LE')).toBeUndefined()
  })

  it.each([
    ['for a closing socket', row('0100007F:C350', '0100007F:2009', 1000, '06')],
    ['for another port', row('0100007F:C351', '0100007F:2009', 1000)],
    ['for another address', row('0200007F:C350', '0100007F:2009', 1000)],
    ['for an empty table', HEAD],
  ])('is undefined %s', (_name, table) => {
    expect(uidIn(table, ends, 'LE')).toBeUndefined()
  })
})

describe('peerUser on Linux', () => {
  beforeEach(({ skip }) => skip(process.platform !== 'linux', 'Only Linux lists its connections in /proc.'))
  async function connected(host: string, to = host): Promise<Socket> {
    const server = createServer().listen(0, host)
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    const accepted = once(server, 'connection') as Promise<[Socket]>
    const client = connect(port, to)
    onTestFinished(() => {
      client.destroy()
      server.close()
    })
    const [socket] = await accepted
    onTestFinished(() => void socket.destroy())
    return socket
  }
  const own = process.getuid?.() ?? 0

  /** A connection that another process of our user makes. */
  async function connectedBy(script: string): Promise<Socket> {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    const accepted = once(server, 'connection') as Promise<[Socket]>
    const child = spawn(process.execPath, ['-e', script, String(port)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const ended = once(child, 'exit')
    onTestFinished(async () => {
      child.kill('SIGKILL')
      await ended
      server.close()
    })
    if (script !== CLIENT) {
      const [text] = (await once(child.stdout, 'data')) as [Buffer]
      const client = connect(Number(text), '127.0.0.1')
      onTestFinished(() => void client.destroy())
    }
    const [socket] = await accepted
    onTestFinished(() => void socket.destroy())
    return socket
  }

  it.each([
    ['127.0.0.1', '127.0.0.1'],
    ['::1', '::1'],
    ['::', '127.0.0.1'],
  ])('returns `same` for our own connection to %s by %s', async (host, to) => {
    expect(await peerUser(await connected(host, to), {})).toBe('same')
  })

  it('returns `other` for another user', async () => {
    const socket = await connected('127.0.0.1')
    const expected = own === 0 ? 'unknown' : 'other'
    expect(await peerUser(socket, {}, own + 1)).toBe(expected)
  })

  it('tells users apart when another user really connects', async ({ skip }) => {
    skip(own !== 0, 'Only root may connect as another user.')
    const socket = await asAnother(SOMEBODY, () => connected('127.0.0.1'))
    expect(await peerUser(socket, {}, SOMEBODY)).toBe('same')
    expect(await peerUser(socket, {}, SOMEBODY - 1)).toBe('other')
    expect(await peerUser(socket, {}, 0)).toBe('unknown')
    const unmapped = await asAnother(UNMAPPED, () => connected('127.0.0.1'))
    expect(await peerUser(unmapped, {}, UNMAPPED)).toBe('unknown')
  })

  it('returns `same` behind a program that only connects', async () => {
    expect(await peerUser(await connectedBy(CLIENT), {})).toBe('same')
  })

  it('returns `unknown` behind a program of our own user that accepts connections itself', async () => {
    expect(await peerUser(await connectedBy(FORWARDER), {})).toBe('unknown')
  })

  it('returns `unknown` behind a program that holds only the connection it accepted', async () => {
    expect(await peerUser(await connectedBy(FORWARDER_IN_TWO), {})).toBe('unknown')
  })

  it.each(['x-forwarded-for', 'forwarded', 'via', 'x-real-ip'])(
    'returns `unknown` behind a proxy that sends the header %s',
    async (name) => {
      expect(await peerUser(await connected('127.0.0.1'), { [name]: '127.0.0.1' })).toBe('unknown')
    },
  )

  it('returns `unknown` for a connection from elsewhere, and for one that is gone', async () => {
    expect(await peerUser({ remoteAddress: '192.0.2.1', localAddress: '192.0.2.2' }, {})).toBe('unknown')
    const gone = { remoteAddress: '127.0.0.1', remotePort: 1, localAddress: '127.0.0.1', localPort: 2 }
    expect(await peerUser(gone, {})).toBe('unknown')
  })
})
