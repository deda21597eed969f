import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openDatabase } from './database.ts'

const message = (kind: string, body: Buffer): Buffer => {
  const head = Buffer.alloc(5)
  head.write(kind)
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}
const LET_IN = message('R', Buffer.alloc(4))
const READY = message('Z', Buffer.from('I'))
const ENDED = message('E', Buffer.from('SFATAL\0C57P01\0Mthe server ends\0\0'))

/** Starts a server that stops at the moment it accepts a client. */
const server = createServer((socket) => {
  socket.on('error', () => undefined)
  socket.once('data', () => socket.end(Buffer.concat([LET_IN, READY, ENDED])))
})

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(() => server.close())

it('survives a database server that ends a connection at the moment it is made', async () => {
  const { port } = server.address() as AddressInfo
  const database = openDatabase(`postgres://somebody@127.0.0.1:${port}/postgres`, 'public')
  await expect(database.row('SELECT 1')).rejects.toThrow()
  await expect(database.row('SELECT 1')).rejects.toThrow()
  await database.close()
})
