import type { AuditNote } from '@panoptes/engine/store'
import { failure, success } from '@panoptes/schema'
import { pino } from 'pino'
import { afterEach, describe, expect, it } from 'vitest'
import { type Audit, createAudit } from './audit.ts'

const note = (action: string): AuditNote => ({
  actor: 'ada',
  user_id: null,
  token_id: null,
  space: 'main',
  action,
  target: null,
  outcome: 'done',
  address: null,
})

let audit: Audit | undefined
afterEach(() => audit?.close())

/** A database that can be unreachable. */
function lab(limits = { waiting: 10, batch: 4, everyMs: 5 }) {
  const written: AuditNote[] = []
  const sizes: number[] = []
  const lines: string[] = []
  let away = false
  const log = pino({}, { write: (line: string) => lines.push(line) })
  audit = createAudit(
    {
      note: async (entries) => {
        if (away) return failure('busy', 'away')
        sizes.push(entries.length)
        written.push(...entries)
        return success(null)
      },
    },
    log,
    limits,
  )
  const goAway = (is: boolean) => {
    away = is
  }
  return { audit, written, sizes, lines, goAway }
}

const actions = (notes: readonly AuditNote[]) => notes.map(({ action }) => action)

describe('createAudit', () => {
  it('writes entries in the background, in order and in batches', async () => {
    const { audit, written, sizes } = lab()
    for (const each of ['a', 'b', 'c', 'd', 'e', 'f']) audit.note(note(each))
    expect(written).toEqual([])
    await expect.poll(() => actions(written)).toEqual(['a', 'b', 'c', 'd', 'e', 'f'])
    expect(sizes).toEqual([4, 2])
  })

  it('keeps a bounded number of entries during a database outage, and records how many it dropped', async () => {
    const { audit, written, lines, goAway } = lab()
    goAway(true)
    for (let each = 0; each < 13; each += 1) audit.note(note(String(each)))
    audit.note({ ...note('of another space'), space: 'other' })
    expect(audit.countDropped()).toBe(4)
    goAway(false)
    await expect.poll(() => written.length).toBe(12)
    // Each space gets its own entry, since nobody reads entries without a space.
    expect(written.filter(({ action }) => action === 'audit.dropped')).toMatchObject([
      { space: 'main', target: '3', outcome: 'failed', actor: null },
      { space: 'other', target: '1', outcome: 'failed', actor: null },
    ])
    expect(actions(written).filter((action) => action !== 'audit.dropped')).toEqual(
      Array.from({ length: 10 }, (_, index) => String(index)),
    )
    expect(lines.join('')).toContain('"dropped":3')
  })

  it('writes all waiting entries when the hub stops', async () => {
    const { audit, written } = lab({ waiting: 100, batch: 4, everyMs: 60_000 })
    for (let each = 0; each < 9; each += 1) audit.note(note(String(each)))
    await audit.close()
    expect(written).toHaveLength(9)
  })

  it('does not delay the stop of a hub during a database outage', async () => {
    const { audit, lines, goAway } = lab()
    goAway(true)
    audit.note(note('lost'))
    await audit.close()
    expect(lines.join('')).toContain('"dropped":1')
  })
})
