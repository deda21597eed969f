import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { awaySince, getJson, isOfBanner, postJson, RequestFailure, runWork, signedOut } from './request.ts'
import { forgetSpace } from './space.ts'

let server: Server
let answer: RequestListener

beforeEach(async () => {
  server = createServer((request, response) => answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const real = globalThis.fetch
  // The page uses relative paths, but outside a browser no origin completes them.
  vi.stubGlobal('fetch', (path: string, init?: RequestInit) => real(`${base}${path}`, init))
})
afterEach(async () => {
  vi.unstubAllGlobals()
  signedOut.set(false)
  forgetSpace()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const failureOf = async (asked: Promise<unknown>): Promise<RequestFailure> => {
  const failure = await asked.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (failure instanceof RequestFailure) return failure
  throw new Error(`expected a RequestFailure, got ${String(failure)}`)
}

describe('a request', () => {
  it('fails with the detail and the advice of the server', async () => {
    answer = (_request, response) =>
      response
        .writeHead(409, { 'content-type': 'application/problem+json' })
        .end(JSON.stringify({ detail: 'A backup is already running.', next: 'Wait for it to finish.' }))
    const failure = await failureOf(getJson('/api/x'))
    expect(failure).toMatchObject({
      status: 409,
      message: 'A backup is already running.',
      next: 'Wait for it to finish.',
    })
    expect(signedOut.get()).toBe(false)
  })

  it('marks the browser as signed out after a 401', async () => {
    answer = (_request, response) => response.writeHead(401).end('{}')
    expect((await failureOf(getJson('/api/x'))).status).toBe(401)
    expect(signedOut.get()).toBe(true)
  })

  it('records since when the database of the hub is down', async () => {
    let code: string | null = 'database_away'
    answer = (_request, response) =>
      response.writeHead(code === null ? 200 : 503).end(JSON.stringify(code === null ? {} : { code }))
    const failure = await failureOf(getJson('/api/x'))
    expect([failure.status, isOfBanner(failure)]).toEqual([503, true])
    const since = awaySince.get()
    expect(since).toEqual(expect.any(Number))
    await failureOf(getJson('/api/x'))
    expect(awaySince.get()).toBe(since)
    code = null
    // A successful request proves nothing, because some requests need no database.
    await getJson('/api/x')
    expect(awaySince.get()).toBe(since)
    code = 'busy'
    const busy = await failureOf(getJson('/api/x'))
    expect(isOfBanner(busy)).toBe(true)
    awaySince.set(null)
    expect(isOfBanner(busy)).toBe(false)
  })

  it('reports a server that does not respond or does not send JSON', async () => {
    answer = (request) => request.socket.destroy()
    expect(await failureOf(getJson('/api/x'))).toMatchObject({
      status: 0,
      message: 'Panoptes is not responding.',
    })
    answer = (_request, response) => response.writeHead(502).end('<html>')
    expect((await failureOf(getJson('/api/x'))).message).toBe('The server returned 502.')
  })
})

describe('a request for one space', () => {
  it('sends /api/me without a space and signs out on a 401', async () => {
    let asked = 0
    const named: unknown[] = []
    answer = (request, response) => {
      asked += 1
      named.push(request.headers['panoptes-space'])
      response.writeHead(401).end('{}')
    }
    const { adoptSpace } = await import('./space.ts')
    adoptSpace({ team: true, space: 'blue' })
    expect((await failureOf(getJson('/api/me'))).status).toBe(401)
    expect([asked, named, signedOut.get()]).toEqual([1, [undefined], true])
  })

  it('names its space, and reloads the page after another tab switched the space', async () => {
    const assign = vi.fn()
    vi.stubGlobal('location', { assign })
    let space = 'blue'
    const named: unknown[] = []
    answer = (request, response) => {
      if (request.url === '/api/me') return response.end(JSON.stringify({ team: true, space }))
      named.push(request.headers['panoptes-space'])
      response.writeHead(request.headers['panoptes-space'] === space ? 200 : 401).end('{}')
    }
    const { addSpaceParam, adoptSpace } = await import('./space.ts')
    expect(String(addSpaceParam(new URLSearchParams('a=1')))).toBe('a=1')
    // A personal computer has no spaces to name.
    adoptSpace({ team: false, space: 'main' })
    expect(String(addSpaceParam(new URLSearchParams()))).toBe('')
    adoptSpace({ team: true, space: 'blue' })
    await getJson('/api/x')
    await postJson('/api/x', {})
    expect([named, assign.mock.calls]).toEqual([['blue', 'blue'], []])
    expect(String(addSpaceParam(new URLSearchParams('a=1')))).toBe('a=1&panoptes-space=blue')
    space = 'main'
    expect((await failureOf(postJson('/api/x', {}))).status).toBe(401)
    expect([signedOut.get(), assign.mock.calls]).toEqual([false, [['/']]])
    // A proxy may answer every path with an HTML page.
    answer = (request, response) => response.writeHead(request.url === '/api/me' ? 200 : 401).end('<html>')
    expect((await failureOf(getJson('/api/x'))).status).toBe(401)
    expect([signedOut.get(), assign.mock.calls.length]).toEqual([true, 1])
    signedOut.set(false)
    answer = (_request, response) => response.writeHead(401).end('{}')
    await failureOf(getJson('/api/x'))
    expect([signedOut.get(), assign.mock.calls.length]).toEqual([true, 1])
  })
})

describe('long-running work', () => {
  const run = (signal = new AbortController().signal) => {
    const progress: [number, number][] = []
    const result = runWork<{ rows: number }>(
      '/api/rebuild',
      { check: true },
      {
        onProgress: (done, total) => progress.push([done, total]),
        signal,
      },
    )
    return { progress, result }
  }

  it('reads progress and result lines across arbitrary chunk boundaries', async () => {
    answer = (_request, response) => {
      const text =
        '{"type":"progress","done":1,"total":3}\n{"type":"progress","done":2,"total":3}\n{"type":"result","value":{"rows":7}}\n'
      for (const part of text.match(/.{1,9}/gs) ?? []) response.write(part)
      response.end()
    }
    const { progress, result } = run()
    expect(await result).toEqual({ rows: 7 })
    answer = (_request, response) => response.end('\n{"type":"result","value":{"rows":8}}')
    expect(await run().result).toEqual({ rows: 8 })
    expect(progress).toEqual([
      [1, 3],
      [2, 3],
    ])
  })

  it('fails with the reason of the server, or when the response is cut off', async () => {
    answer = (_request, response) =>
      response.end('{"type":"failure","code":"disk_full","message":"The disk is full."}\n')
    expect((await failureOf(run().result)).message).toBe('The disk is full.')
    answer = (_request, response) => response.end('{"type":"progress","done":1,"total":3}\n')
    expect((await failureOf(run().result)).message).toBe('The response was cut off.')
  })

  it('closes the request on the server when it is aborted', async () => {
    const gone = Promise.withResolvers<void>()
    answer = (request, response) => {
      request.socket.on('close', gone.resolve)
      response.write('{"type":"progress","done":1,"total":3}\n')
    }
    const abort = new AbortController()
    const { progress, result } = run(abort.signal)
    await vi.waitFor(() => expect(progress.length).toBe(1), 30_000)
    abort.abort()
    await expect(result).rejects.toThrow()
    await gone.promise
  })
})
