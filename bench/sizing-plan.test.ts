import { describe, expect, it } from 'vitest'
import { page } from './sizing-page.ts'
import { ASSUMED, endsOf, type Measured, planOf } from './sizing-plan.ts'

const measured: Measured = {
  rate: { events: 1_000, agents: 20, per_agent: 0.1, bytes_per_event: 400, wire_bytes_per_event: 60 },
  sqlite: { commit: 0.001, event: 0.00004, request: 0.0004, most: 5_000 },
  hub: { commit: 0.006, event: 0.0001, request: 0.0004, most: 5_000 },
  append: { commit: 0.005, event: 0.00007, request: 0, most: 5_000 },
  hub_cpu: [0.001, 0.00006],
  append_cpu: [0.0006, 0.00004],
  database_cpu: [0.001, 0.00005],
  bus_cpu: [0.0001, 0.000005],
  wal_bytes: 900,
  table_bytes: 1_200,
}

describe('the sizing plan of a team', () => {
  it('chooses the simplest design that holds the peak, and more resources for more agents', () => {
    const ends = endsOf(measured)
    const [few, some, many] = [10, 1_000, 100_000].map((agents) => planOf(agents, measured, ends))
    expect(few?.design).toContain('SQLite')
    expect(some?.peak).toBeCloseTo(300)
    expect(some?.design).toContain('one hub')
    expect(many?.spaces).toBeGreaterThan(1)
    expect(many?.database_cores ?? 0).toBeGreaterThan(some?.database_cores ?? 0)
    expect(many?.hub_cores ?? 0).toBeGreaterThan(some?.hub_cores ?? 0)
    const gathering = planOf(100_000, measured, ends, 1)
    expect(gathering.hub_cores).toBeLessThan(many?.hub_cores ?? 0)
    for (const plan of [few, some, many]) expect(plan?.p99).toBeLessThan(1)
  })

  it('gives several hubs a higher limit than one, and a bus about the same limit per space', () => {
    const ends = endsOf(measured)
    expect(ends.hubs).toBeGreaterThan(ends.hub)
    expect(ends.bus).toBeLessThan(1 / measured.append.event)
    expect(Math.abs(ends.bus / ends.hubs - 1)).toBeLessThan(0.2)
  })
})

describe('the sizing page', () => {
  it('has every table of the benchmark, and rejects a result without one of them', () => {
    const titles = [
      'An agent of the made-up day',
      'What an event takes, beside what its batch takes',
      'Bytes of an event',
      'The model against a hub',
      'Where each design ends, events a second on a machine like this one',
      'What so many agents at once need',
      'How busy the machine was',
    ]
    const tables = titles.map((title, n) => ({ title, rows: [{ what: `row ${n}`, value: 1_234.5 }] }))
    const text = page(
      { date: '2026-11-16', machine: { cores: 2, model: 'x', memory_gb: 8 }, tables },
      ASSUMED,
    )
    for (const [n] of titles.entries()) expect(text).toContain(`| row ${n} | 1,230 |`)
    expect(text).not.toContain('The machine was busy')
    const crowded = tables.map((one) =>
      one.title.startsWith('How busy') ? { ...one, rows: [{ before: 3, after: 31 }] } : one,
    )
    const told = { date: '', machine: { cores: 2 }, tables: crowded }
    expect(page(told, ASSUMED)).toContain('up to 31 processes wanted its 2 cores')
    const less = { date: '', machine: {}, tables: tables.slice(1) }
    expect(() => page(less, ASSUMED)).toThrow('An agent')
  })
})
