import { join } from 'node:path'
import type { AchievementsReply, ScanStatus } from '@panoptes/schema'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addSession, type Served, serveAchievements } from './achievements.test-kit.ts'

let served: Served
beforeAll(async () => {
  served = await serveAchievements()
  addSession(join(served.home, '.hermes', 'state.db'), 's1', 'ollama/llama', 301)
})
afterAll(() => served.stop())

const PATH = '/api/achievements?source=hermes'

/** What clients of the Hermes plugin read, and what its specification adds. */
const KEYS = [
  'generated_at',
  'is_stale',
  'scan_meta',
  'achievements',
  'unlocked_count',
  'discovered_count',
  'secret_count',
  'total_count',
  'error',
]
const META_KEYS = [
  'duration_ms',
  'sessions_scanned',
  'messages_scanned',
  'mode',
  'error',
  'sessions_total',
  'sessions_rescanned',
  'sessions_reused',
  'status',
]
const ITEM_KEYS = [
  'id',
  'name',
  'description',
  'category',
  'kind',
  'icon',
  'criteria',
  'unlocked',
  'discovered',
  'state',
  'tier',
  'progress',
  'next_tier',
  'next_threshold',
  'progress_pct',
]
const STATUS_KEYS = [
  'state',
  'started_at',
  'finished_at',
  'last_error',
  'last_duration_ms',
  'run_count',
  'ttl_seconds',
  'snapshot_generated_at',
  'snapshot_age_seconds',
  'snapshot_stale',
]

const keysOf = (value: object | undefined) => Object.keys(value ?? {})

describe('the achievements reply of the Hermes plugin specification', () => {
  it('has every key that clients read, in the reply, in its items and in the scan state', async () => {
    const reply = await served.get<AchievementsReply>(PATH)
    expect(keysOf(reply)).toEqual(expect.arrayContaining(KEYS))
    expect(keysOf(reply.scan_meta)).toEqual(expect.arrayContaining(META_KEYS))
    for (const item of reply.achievements) {
      expect(keysOf(item)).toEqual(expect.arrayContaining(ITEM_KEYS))
      const counted = item.kind === 'multi_condition' ? ['requirements'] : ['threshold_metric', 'tiers']
      if (item.state !== 'secret') expect(keysOf(item)).toEqual(expect.arrayContaining(counted))
      if (item.unlocked) expect(keysOf(item)).toEqual(expect.arrayContaining(['unlocked_at', 'evidence']))
    }
    expect(keysOf(await served.get('/api/scan-status?source=hermes'))).toEqual(
      expect.arrayContaining(STATUS_KEYS),
    )
  })

  it('reveals nothing of a single session except for evidence', async () => {
    const { achievements: _items, ...head } = await served.get<AchievementsReply>(PATH)
    expect(JSON.stringify(head)).not.toContain('About s1')
    expect(keysOf(head)).not.toEqual(expect.arrayContaining(['sessions']))
  })

  it('has no overview among its routes', async () => {
    const { paths } = await served.get<{ readonly paths: object }>('/api/openapi.json')
    expect(keysOf(paths).filter((path) => path.includes('overview'))).toEqual([])
    expect(keysOf(paths)).toContain('/api/achievements')
  })

  it('answers 19 of 20 warm requests within the allowed second', async () => {
    await served.get(PATH)
    const times: number[] = []
    for (let load = 0; load < 40; load += 1) {
      const began = performance.now()
      const { is_stale } = await served.get<AchievementsReply>(`${PATH}&wait=0`)
      times.push(performance.now() - began)
      expect(is_stale).toBe(false)
    }
    expect(times.sort((a, b) => a - b)[37]).toBeLessThan(1_000)
  })

  it('scans once, however many requests arrive', async () => {
    for (let visit = 0; visit < 50; visit += 1) await served.get(`${PATH}&wait=0`)
    await Promise.all(Array.from({ length: 200 }, () => served.get(PATH)))
    expect(await served.get<ScanStatus>('/api/scan-status?source=hermes')).toMatchObject({ run_count: 1 })
  })
})
