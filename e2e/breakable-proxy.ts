import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface CutLine {
  readonly address: string
  /** The host and port as in a Host header, such as `127.0.0.1:43121`. */
  readonly host: string
  readonly lead: (port: number) => void
  /** Breaks every connection and accepts none until it is mended. */
  readonly cut: () => void
  readonly mend: () => void
  readonly close: () => Promise<void>
}

/** A TCP connection to a daemon that a test can cut. */
export async function startLine(): Promise<CutLine> {
  const open = new Set<Socket>()
  let port = 0
  let isCut = false
  const server = createServer((socket) => {
    if (isCut) return socket.destroy()
    const to = connect(port, '127.0.0.1')
    for (const one of [socket, to]) {
      open.add(one)
      one.on('error', () => undefined)
      one.on('close', () => {
        open.delete(one)
        socket.destroy()
        to.destroy()
      })
    }
    socket.pipe(to).pipe(socket)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const breakAll = () => {
    for (const socket of open) socket.destroy()
  }
  return {
    address: `http://${host}`,
    host,
    lead: (next) => {
      port = next
    },
    cut: () => {
      isCut = true
      breakAll()
    },
    mend: () => {
      isCut = false
    },
    close: () => {
      breakAll()
      return new Promise((done) => server.close(() => done()))
    },
  }
}
