import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BusHealth } from '@panoptes/engine/bus'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestHub, type TestHub } from './hub.test-kit.ts'
import { busGauges } from './space-server.ts'

const DOCS = join(import.meta.dirname, '..', '..', '..', 'docs', 'team')
const QUIET: BusHealth = {
  where: '127.0.0.1:4222',
  waiting: 0,
  waitingBytes: 0,
  mostBytes: 0,
  lagMs: 0,
  replicas: 1,
  isWriter: false,
  isTaking: true,
  refused: 0,
  problem: null,
}

interface Panel {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly datasource?: { readonly type: string; readonly uid: string }
  readonly targets?: readonly { readonly refId: string; readonly expr: string }[]
}

let hub: TestHub
let text = ''
/** The metrics of the space of the hub's own computer, including those of the whole hub. */
let ofMain = ''
beforeAll(async () => {
  hub = await startTestHub()
  const token = await hub.token({ space: 'other', role: 'viewer' })
  const event = { v: 1, event: 'prompt', source: 'custom', session_id: 's', ts: Date.now() }
  const ingest = await hub.token({ space: 'other', scope: 'ingest' })
  await hub.request('/events', ingest, { method: 'POST', body: JSON.stringify(event) })
  await hub.request('/metrics', 'pan_wrong')
  text = await (await hub.request('/metrics', token)).text()
  const main = await hub.token({ space: 'main', role: 'viewer' })
  ofMain = await (await hub.request('/metrics', main)).text()
})
afterAll(() => hub.stop())

const namesIn = (query: string): readonly string[] =>
  [...query.matchAll(/\b(?:panoptes|process|nodejs)_[a-z0-9_]+/g)].map(([name]) => name)
const told = (): ReadonlySet<string> =>
  new Set([
    ...[...`${text}${ofMain}`.matchAll(/^([a-z_0-9]+)(?:\{| )/gm)].map(([, name = '']) => name),
    ...busGauges(QUIET).map(({ name }) => name),
  ])

describe('the metrics of a hub', () => {
  it('are labelled with their space, and count every answer of the process by status', () => {
    expect(text).toMatch(/^panoptes_events_appended_total\{space="other"\} 1$/m)
    expect(text).toMatch(/^panoptes_append_seconds_bucket\{space="other",le="\+Inf"\} 1$/m)
    expect(text).toMatch(/^panoptes_http_requests_total\{status="401"\} 1$/m)
    expect(text).toMatch(/^panoptes_database_connections\{space="other"\} [1-9]/m)
    expect(text).toMatch(/^panoptes_stream_behind_events\{space="other"\} \d/m)
    expect(text).not.toContain('space="main"')
    const types = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name)
    expect(types.length).toBe(new Set(types).size)
  })
})

describe('docs/team/grafana.json', () => {
  it('has a separate position for every panel, and queries only metrics that a hub has', async () => {
    const board = JSON.parse(await readFile(join(DOCS, 'grafana.json'), 'utf8')) as {
      readonly uid: string
      readonly title: string
      readonly schemaVersion: number
      readonly templating: { readonly list: readonly { readonly name: string; readonly type: string }[] }
      readonly panels: readonly Panel[]
    }
    expect(board).toMatchObject({ uid: 'panoptes-team', schemaVersion: 39 })
    expect(board.templating.list.map(({ name }) => name)).toEqual(['datasource', 'job', 'space'])
    expect(new Set(board.panels.map(({ id }) => id)).size).toBe(board.panels.length)
    const taken = new Set<string>()
    for (const { title, type, gridPos, targets, datasource } of board.panels) {
      expect(['row', 'stat', 'timeseries'], title).toContain(type)
      expect(gridPos.x + gridPos.w, title).toBeLessThanOrEqual(24)
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1)
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
          expect(taken.has(`${x} ${y}`), `${title} lies over another`).toBe(false)
          taken.add(`${x} ${y}`)
        }
      if (type === 'row') continue
      expect(datasource).toEqual({ type: 'prometheus', uid: expect.stringMatching(/^\$\{datasource\}$/) })
      expect(new Set(targets?.map(({ refId }) => refId)).size, title).toBe(targets?.length)
      for (const { expr } of targets ?? []) {
        expect(namesIn(expr), title).not.toEqual([])
        for (const name of namesIn(expr)) expect(told(), `${title}: ${name}`).toContain(name)
        expect([...expr].filter((sign) => sign === '(').length).toBe(
          [...expr].filter((sign) => sign === ')').length,
        )
      }
    }
  })

  it('has alerts that use only metrics that a hub has', async () => {
    const alerts = await readFile(join(DOCS, 'panoptes-alerts.yml'), 'utf8')
    const names = [...alerts.matchAll(/expr: (.+)/g)].flatMap(([, expr = '']) => namesIn(expr))
    expect(names.length).toBeGreaterThan(3)
    for (const name of names) expect(told()).toContain(name)
  })
})
