import { randomBytes } from 'node:crypto'
import { redactEvent } from '@panoptes/engine/redact'
import type { EventStore } from '@panoptes/engine/store'
import { failure, type NewEvent, type Result, success } from '@panoptes/schema'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { unwrap } from '../result.test-kit.ts'
import { toForwardedEvent } from './batch.ts'
import {
  appendAll,
  day,
  type FaultLine,
  forwarding,
  type Lab,
  openLab,
  refuse,
  refusing,
  type ScriptedHub,
  startHub,
  startLine,
  TOKEN,
  until,
} from './forward.test-kit.ts'
import type { Forward, ForwardOptions } from './forward.ts'
import type { HubOptions } from './hub.ts'

describe('forwarding', () => {
  let lab: Lab
  let hub: ScriptedHub
  const open: Pick<Forward, 'stop'>[] = []
  const lines: FaultLine[] = []

  beforeEach(async () => {
    lab = await openLab()
    hub = await startHub()
  })
  afterEach(async () => {
    for (const each of open.splice(0)) await each.stop()
    for (const line of lines.splice(0)) await line.close()
    await hub.close()
    await lab.end()
  })

  const start = async (options: Partial<ForwardOptions & HubOptions> = {}) => {
    const forward = await forwarding(lab.store, options.to ?? hub.to, { fromStart: true, ...options })
    open.push(forward)
    return forward
  }
  const faulty = async () => {
    const line = await startLine(hub.port)
    lines.push(line)
    return line
  }
  const hasAll = (events: readonly { readonly key: string }[]) =>
    until(() => hub.keys().length >= events.length, `${events.length} events on the hub`)
  const readStatus = async (forward: Pick<Forward, 'status'>) => unwrap(await forward.status())
  const settled = (forward: Pick<Forward, 'status'>) =>
    until(async () => (await readStatus(forward)).state === 'idle', 'nothing left to send')

  it('sends a backlog in log order with the original keys and hosts', async () => {
    const events = day(3_000)
    await appendAll(lab.store, events)
    const forward = await start()
    await hasAll(events)
    expect(hub.taken).toEqual(
      events.map((each) => redactEvent(toForwardedEvent({ ...each, seq: 0 }, 'metadata')).event),
    )
    await settled(forward)
    const status = await readStatus(forward)
    expect(status).toMatchObject({
      state: 'idle',
      seq: 3_000,
      retries: 0,
      refused: 0,
      lost: 0,
      problem: null,
    })
    expect(status.waiting).toEqual({ events: 0, bytes: 0, oldest_ts: null })
    expect(status.sent.events).toBe(3_000)
    expect(status.sent.compressed_bytes).toBe(hub.requests.reduce((sum, { bytes }) => sum + bytes, 0))
  })

  it('keeps one connection and one batch in flight', async () => {
    await appendAll(lab.store, day(6_000))
    let under = 0
    let most = 0
    hub.always = (_request, answer) => {
      under += 1
      most = Math.max(most, under)
      answer.on('finish', () => {
        under -= 1
      })
      return 'take'
    }
    const forward = await start()
    await settled(forward)
    expect(hub.requests.length).toBeGreaterThan(2)
    expect(most).toBe(1)
    expect(hub.connections()).toBe(1)
  })

  it('holds at most one batch in memory, however large the backlog and its events are', async () => {
    const events = day(3_000).map((each) => ({ ...each, words: `${each.key} `.padEnd(6_000, 'words ') }))
    await appendAll(lab.store, events)
    const forward = await start()
    await settled(forward)
    const sizes = hub.requests.map(({ headers }) => Number(headers['x-inflated-length']))
    expect(sizes.reduce((sum, size) => sum + size)).toBeGreaterThan(15_000_000)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(4_194_304)
    expect(hub.keys()).toHaveLength(3_000)
  })

  it('sends single events at once and bursts together', async () => {
    const forward = await start({ fromStart: false })
    const [first, ...rest] = day(400)
    const began = performance.now()
    unwrap(await lab.store.append(first ? [first] : []))
    await until(() => hub.taken.length === 1, 'the first event')
    expect(performance.now() - began).toBeLessThan(5_000)
    for (const each of rest) unwrap(await lab.store.append([each]))
    await hasAll([...rest, 0].map(() => ({ key: '' })))
    await settled(forward)
    // On a slow machine, events that take longer than a moment to append are sent one by one.
    expect(hub.requests.length).toBeLessThan(Math.max(200, (performance.now() - began) / 20))
  })

  it('starts with new events, or with the oldest one on request', async () => {
    const events = day(50)
    await appendAll(lab.store, events.slice(0, 30))
    const forward = await start({ fromStart: false })
    await appendAll(lab.store, events.slice(30))
    await until(() => hub.taken.length === 20, 'the newer events')
    await settled(forward)
    expect(hub.taken).toEqual(events.slice(30))
    await forward.stop()
    const again = await start({ fromStart: true })
    await settled(again)
    expect(hub.keys()).toHaveLength(50)
  })

  it('keeps a separate mark per hub and resumes where it stopped', async () => {
    const events = day(120)
    await appendAll(lab.store, events.slice(0, 60))
    const first = await start()
    await settled(first)
    await first.stop()
    await appendAll(lab.store, events.slice(60))
    const again = await start({ fromStart: false })
    await settled(again)
    expect(hub.taken).toEqual(events)
    expect((await readStatus(again)).sent.events).toBe(120)
    const other = await startHub()
    const elsewhere = await start({ to: other.to, fromStart: false })
    await settled(elsewhere)
    expect(other.taken).toEqual([])
    await elsewhere.stop()
    await other.close()
  })

  it('waits as long as a busy hub asks', async () => {
    hub.script.push(refusing(503, 'busy', { 'retry-after': '1' }), refusing(429, 'busy'))
    await appendAll(lab.store, day(10))
    const began = performance.now()
    const forward = await start()
    await settled(forward)
    expect(forward.logged.map(({ fields }) => fields)).toContainEqual({ kind: 'busy' })
    expect(performance.now() - began).toBeGreaterThan(950)
    expect(hub.taken).toHaveLength(10)
    expect(await readStatus(forward)).toMatchObject({ retries: 2, problem: null })
  })

  it('shrinks batches that are too large and leaves out a single event that is too large', async () => {
    const events = day(200)
    const huge = events[77]?.key
    hub.always = ({ lines, bytes }, answer) => {
      const has = lines.some((line) => line.includes(`"${huge}"`))
      if (bytes < 2_000 && !has) return 'take'
      return refuse(answer, 413, 'too_large')
    }
    await appendAll(lab.store, events)
    const forward = await start()
    await settled(forward)
    expect(hub.taken.map(({ key }) => key)).toEqual(
      events.map(({ key }) => key).filter((key) => key !== huge),
    )
    expect(await readStatus(forward)).toMatchObject({ refused: 1, sent: { events: 199 } })
    expect(forward.logged).toContainEqual(expect.objectContaining({ text: 'the hub rejected an event' }))
  })

  it('sets aside an event that is too large for a proxy, reports it, and sends it once it passes', async () => {
    const events = day(20)
    const huge = { ...(events[7] as NewEvent), text: randomBytes(150_000).toString('base64') }
    await appendAll(lab.store, events.with(7, huge))
    const whole = hub.always
    hub.always = ({ bytes }, answer) =>
      bytes < 100_000 ? 'take' : answer.writeHead(413).end('<h1>413 Request Entity Too Large</h1>')
    const forward = await start()
    await settled(forward)
    expect(hub.keys()).toEqual(events.map(({ key }) => key).filter((key) => key !== huge.key))
    expect(await readStatus(forward)).toMatchObject({
      refused: 1,
      refused_why: {
        message: expect.stringMatching(
          /^A proxy in front of the hub at .* does not accept bodies of this size$/,
        ),
        next: expect.stringContaining('client_max_body_size'),
      },
      sent: { events: 19 },
      problem: null,
    })
    await forward.stop()
    hub.always = whole
    const again = await start({ fromStart: true })
    await settled(again)
    expect(new Set(hub.keys())).toEqual(new Set(events.map(({ key }) => key)))
  })

  it('leaves out no event when a proxy refuses everything', async () => {
    hub.always = (_request, answer) => answer.writeHead(413).end()
    await appendAll(lab.store, day(5))
    const forward = await start()
    await until(async () => (await readStatus(forward)).retries > 12, 'that it was tried again and again')
    expect(await readStatus(forward)).toMatchObject({
      state: 'failing',
      refused: 0,
      problem: { kind: 'too_large' },
    })
    hub.always = undefined
    await settled(forward)
    expect(hub.keys()).toHaveLength(5)
  })

  it('leaves out no large event before anything got through', async () => {
    hub.always = (_request, answer) => answer.writeHead(413).end()
    const huge = { ...(day(1)[0] as NewEvent), text: randomBytes(150_000).toString('base64') }
    await appendAll(lab.store, [huge])
    const forward = await start()
    await until(async () => (await readStatus(forward)).retries > 12, 'that it was tried again and again')
    expect(await readStatus(forward)).toMatchObject({ state: 'failing', refused: 0 })
    hub.always = undefined
    await settled(forward)
    expect(hub.keys()).toEqual([huge.key])
  })

  it('counts the lines that a hub rejects and continues', async () => {
    const rejected = { line: 3, path: 'ts', reason: 'must be a time' }
    hub.script.push(({ lines }, answer) => {
      answer.end(JSON.stringify({ accepted: lines.length - 1, duplicates: 0, rejected: [rejected] }))
    })
    await appendAll(lab.store, day(20))
    const forward = await start()
    await settled(forward)
    expect(await readStatus(forward)).toMatchObject({ refused: 1, sent: { events: 19 } })
    expect(forward.logged).toContainEqual({
      level: 'warn',
      fields: { refused: 1, first: rejected },
      text: 'the hub rejected events',
    })
  })

  it('counts refusals of an event only when it was sent alone', async () => {
    const away: Parameters<typeof hub.script.push>[number] = (_request, answer) => answer.destroy()
    hub.script.push(...Array.from({ length: 6 }, () => away), refusing(400, 'invalid'), away)
    await appendAll(lab.store, day(1))
    const forward = await start()
    await settled(forward)
    expect(hub.keys()).toHaveLength(1)
    expect(await readStatus(forward)).toMatchObject({ refused: 0, sent: { events: 1 } })
  })

  it('finds the one event that makes a hub refuse the whole body', async () => {
    const events = day(64)
    const bad = events[40]?.key
    hub.always = ({ lines }, answer) =>
      lines.some((line) => line.includes(`"${bad}"`)) ? refuse(answer, 400, 'invalid') : 'take'
    await appendAll(lab.store, events)
    const forward = await start()
    await settled(forward)
    expect(hub.keys()).toHaveLength(63)
    expect((await readStatus(forward)).refused).toBe(1)
  })

  it('names the one event a hub fails at, sends those before it, and drops none', async () => {
    const events = day(40)
    const bad = events[25]?.key
    hub.always = ({ lines }, answer) =>
      lines.some((line) => line.includes(`"${bad}"`)) ? refuse(answer, 500, 'io') : 'take'
    await appendAll(lab.store, events)
    const forward = await start()
    await until(
      async () => (await readStatus(forward)).problem?.message.startsWith('At the event 26 of') === true,
      'that it is named',
    )
    expect(hub.keys()).toEqual(events.slice(0, 25).map(({ key }) => key))
    hub.always = undefined
    await settled(forward)
    expect(hub.keys()).toHaveLength(40)
    expect(await readStatus(forward)).toMatchObject({ refused: 0, problem: null })
  })

  it('finds the one event a hub fails at among thousands within a few attempts', async () => {
    const events = day(5_000)
    const isBad = (line: string) => line.includes(`"${events[3_333]?.key}"`)
    hub.always = ({ lines }, answer) => (lines.some(isBad) ? refuse(answer, 500, 'io') : 'take')
    await appendAll(lab.store, events)
    const forward = await start({ times: { firstMs: 4, mostMs: 8, slowMs: 8 } })
    await until(
      async () => (await readStatus(forward)).problem?.message.startsWith('At the event 3334 of') === true,
      'that it is named',
    )
    expect(hub.keys()).toHaveLength(3_333)
    const failed = hub.requests.filter(({ lines }) => lines.length > 1 && lines.some(isBad))
    expect(failed.length).toBeLessThan(25)
    hub.always = undefined
    await settled(forward)
    expect(hub.keys()).toHaveLength(5_000)
  })

  it('resends what was damaged in transit', async () => {
    hub.script.push(refusing(400, 'invalid'), refusing(400, 'invalid'))
    await appendAll(lab.store, day(1))
    const forward = await start()
    await settled(forward)
    expect(hub.taken).toHaveLength(1)
    expect((await readStatus(forward)).refused).toBe(0)
  })

  it('never mistakes the answer of a proxy for that of the hub', async () => {
    const page =
      (status: number) =>
      (_request: unknown, answer: { writeHead: (n: number) => { end: (t: string) => void } }) => {
        answer.writeHead(status).end('<h1>Sign in to this network</h1>')
      }
    hub.script.push(page(200), page(302), page(404), page(400))
    await appendAll(lab.store, day(5))
    const forward = await start()
    await settled(forward)
    expect(forward.logged.map(({ fields }) => fields)).toContainEqual({ kind: 'address' })
    expect(hub.taken).toHaveLength(5)
    expect(await readStatus(forward)).toMatchObject({ refused: 0, retries: 4 })
  })

  it('reports a refused token and uses a new one as soon as it exists', async () => {
    let token: Result<string> = success('pan_wrong')
    await appendAll(lab.store, day(5))
    const forward = await start({
      token: async () => token,
      times: { firstMs: 60_000, mostMs: 60_000, slowMs: 60_000 },
    })
    await until(async () => (await readStatus(forward)).problem !== null, 'the refusal')
    expect((await readStatus(forward)).problem).toMatchObject({
      kind: 'token',
      message: expect.stringContaining('does not accept the token'),
      next: expect.stringContaining('--token-file'),
    })
    token = success(TOKEN)
    await settled(forward)
    expect(hub.taken).toHaveLength(5)
  })

  it('uses a new token that arrived while the old one was being refused', async () => {
    let token = TOKEN
    hub.script.push((_request, answer) => {
      token = hub.token = 'pan_next'
      refuse(answer, 401, 'wrong_token')
    })
    await appendAll(lab.store, day(5))
    const forward = await start({
      token: async () => success(token),
      times: { firstMs: 60_000, mostMs: 60_000, slowMs: 60_000 },
    })
    await settled(forward)
    expect(await readStatus(forward)).toMatchObject({ retries: 1, sent: { events: 5 } })
  })

  it('reports a token without the scope, and a missing token', async () => {
    hub.always = refusing(403, 'wrong_scope')
    let token: Result<string> = success(TOKEN)
    await appendAll(lab.store, day(5))
    const forward = await start({ token: async () => token })
    await until(async () => (await readStatus(forward)).problem !== null, 'the refusal')
    expect((await readStatus(forward)).problem?.message).toContain('may not send events')
    hub.always = undefined
    await settled(forward)
    token = failure('not_found', 'There is no token in tokens/forward')
    await appendAll(lab.store, day(5, 8))
    await until(async () => (await readStatus(forward)).problem !== null, 'the missing token')
    expect((await readStatus(forward)).problem?.message).toContain('There is no token')
  })

  it('sends everything once a hub that was down is back', async () => {
    const { port } = hub
    await hub.close()
    const events = day(500)
    await appendAll(lab.store, events)
    const forward = await start()
    await until(async () => (await readStatus(forward)).retries > 2, 'some attempts')
    const status = await readStatus(forward)
    expect(status.problem).toMatchObject({
      kind: 'unreachable',
      message: expect.stringContaining('ECONNREFUSED'),
    })
    expect(status.waiting).toMatchObject({ events: 500, oldest_ts: events[0]?.ts })
    expect(status.waiting.bytes).toBeGreaterThan(50_000)
    hub = await startHub(port)
    await settled(forward)
    expect(hub.taken).toEqual(events)
  })

  it('times out on a hanging hub and retries', async () => {
    hub.always = () => undefined
    await appendAll(lab.store, day(5))
    const forward = await start({ timeoutMs: 300 })
    await until(async () => (await readStatus(forward)).problem !== null, 'the end of its patience')
    expect((await readStatus(forward)).problem).toMatchObject({ kind: 'silent' })
    hub.always = undefined
    await settled(forward)
    expect(hub.taken).toHaveLength(5)
  })

  it('sends everything over a connection that breaks and stalls', async () => {
    const line = await faulty()
    const events = day(4_000)
    line.breakAfter = 20_000
    await appendAll(lab.store, events)
    const forward = await start({ to: line.to, timeoutMs: 500 })
    await until(async () => (await readStatus(forward)).retries > 1, 'a break')
    line.breakAfter = undefined
    line.stalled = true
    await until(() => line.swallowed > 0, 'bytes that do not arrive')
    line.stalled = false
    line.cut()
    await settled(forward)
    expect(hub.keys()).toEqual(events.map(({ key }) => key))
  })

  it('explains a failed TLS connection', async () => {
    await appendAll(lab.store, day(1))
    const forward = await start({ to: hub.to.replace('http:', 'https:') })
    await until(async () => (await readStatus(forward)).problem !== null, 'the failure')
    expect((await readStatus(forward)).problem).toMatchObject({
      kind: 'tls',
      next: expect.stringContaining('NODE_EXTRA_CA_CERTS'),
    })
  })

  it('stays within the bandwidth limit', async () => {
    await appendAll(lab.store, day(250))
    const began = performance.now()
    const forward = await start({ maxKbPerSecond: 10 })
    await settled(forward)
    const { sent } = await readStatus(forward)
    const seconds = (performance.now() - began) / 1_000
    expect(sent.events).toBe(250)
    // The last batch does not delay anything, so it does not count.
    const last = hub.requests.at(-1)?.bytes ?? 0
    expect((sent.compressed_bytes - last) / seconds).toBeLessThan(10_240)
  })

  it('reports how many events retention removed before they were sent', async () => {
    const { port } = hub
    await hub.close()
    const events = day(300)
    await appendAll(lab.store, events)
    const forward = await start()
    await until(async () => (await readStatus(forward)).retries > 0, 'an attempt')
    const cut = events.toSorted((a, b) => a.ts - b.ts)[120]?.ts
    const gone = unwrap(await lab.store.retain({ before: cut }))
    expect(gone).toBeGreaterThan(0)
    expect(await readStatus(forward)).toMatchObject({ lost: gone, waiting: { events: 300 - gone } })
    // The current batch is still sent.
    const { retries } = await readStatus(forward)
    await until(async () => (await readStatus(forward)).retries > retries + 1, 'another attempt')
    hub = await startHub(port)
    await settled(forward)
    expect(hub.taken.slice(0, -1)).toEqual(events.slice(gone))
    // The hub is informed as well.
    expect(hub.taken.at(-1)).toMatchObject({ event: 'forward_lost', host: 'studio', lost: gone })
    expect(await readStatus(forward)).toMatchObject({ lost: gone, sent: { events: 301 - gone } })
    expect(forward.logged.map(({ text }) => text)).toContain(
      'events were dropped before they could be forwarded',
    )
  })

  it('continues after an unexpected error', async () => {
    const events = day(10)
    await appendAll(lab.store, events)
    let left = 1
    const odd: EventStore = Object.create(lab.store, {
      read: {
        value: async (...args: Parameters<EventStore['read']>) => {
          if (left-- > 0) throw new Error('not again')
          return lab.store.read(...args)
        },
      },
      append: { value: (...args: Parameters<EventStore['append']>) => lab.store.append(...args) },
      marks: { value: (names: readonly string[]) => lab.store.marks(names) },
      head: { value: () => lab.store.head() },
      subscribe: { value: (...args: Parameters<EventStore['subscribe']>) => lab.store.subscribe(...args) },
    })
    const forward = await start({ store: odd })
    await settled(forward)
    expect(hub.taken).toHaveLength(10)
    expect(forward.logged[0]?.text).toContain('not again')
  })

  it('leaves out events that were forgotten while they waited', async () => {
    const { port } = hub
    await hub.close()
    const events = day(200)
    await appendAll(lab.store, events)
    const forward = await start()
    await until(async () => (await readStatus(forward)).retries > 0, 'an attempt')
    const { source, session_id } = events.at(-1) ?? { source: '', session_id: '' }
    const session = [{ source, id: session_id }]
    unwrap(await lab.store.forgetting.begin(session))
    unwrap(await lab.store.forgetting.remove(session))
    const { retries } = await readStatus(forward)
    await until(async () => (await readStatus(forward)).retries > retries + 1, 'another attempt')
    hub = await startHub(port)
    await settled(forward)
    expect(hub.taken).toEqual(
      events.filter((each) => !(each.source === source && each.session_id === session_id)),
    )
  })
})
