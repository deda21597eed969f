import type { Hit } from '@panoptes/engine/ledger'
import { describe, expect, it } from 'vitest'
import { judge } from './recalled-text.ts'

const hit = (id: string, ts: number | null = 1_000): Hit => ({
  source: 'hermes',
  session_id: 's',
  n: 0,
  id,
  agent_id: 'main',
  role: 'user',
  ts,
  title: null,
  project: null,
  place: 'there',
})
const words = (...list: readonly string[]) => list.map((word) => ({ word, weight: 5 }))
const said = (id: string, text: string, ts?: number) => ({ hit: hit(id, ts), text })
const ids = (...asked: Parameters<typeof judge>) => judge(...asked).best.map((each) => each.hit.id)

describe('what was said', () => {
  it('comes by how much of it is about the words', () => {
    const texts = [
      said('long', `mast and hangar ${'of something else '.repeat(200)}`),
      said('short', 'a mast by the hangar'),
      said('often', 'mast, hangar, mast, hangar, mast'),
    ]
    expect(ids(texts, words('mast', 'hangar'), 5)).toEqual(['often', 'short', 'long'])
  })

  it('has more than one of many words, each by itself, or the one that says most', () => {
    const texts = [said('one', 'the mast'), said('part', 'mastery of hangars'), said('two', 'Mast, Hangar')]
    const many = words('mast', 'hangar', 'mooring', 'rope')
    expect(ids(texts, many, 5)).toEqual(['two'])
    expect(ids(texts, [{ word: 'mast', weight: 30 }, ...many.slice(1)], 5)).toEqual(['two', 'one'])
    expect(ids(texts, words('mast'), 5)).toEqual(['one', 'two'])
  })

  it('is found whatever the accents, and in writing without spaces', () => {
    const texts = [said('fr', 'Le CAFÉ re\u0301pare\u0301'), said('zh', '修复数据库')]
    expect(ids(texts, words('cafe', 'réparé'), 5)).toEqual(['fr'])
    expect(ids(texts, words('数据', '据库'), 5)).toEqual(['zh'])
  })

  it('counts a little more when it is recent, whenever that is asked', () => {
    const day = 86_400_000
    const texts = [said('old', 'the mast is up', 1), said('new', 'a mast was up', 400 * day)]
    expect(ids(texts, words('mast'), 5)).toEqual(['new', 'old'])
    expect(ids([said('undated', 'mast'), ...texts], words('mast'), 5)).toContain('undated')
  })

  it('is told once, where it was said several times, and counted so', () => {
    const texts = [
      said('1', 'put the mast up, please'),
      said('2', 'Put the mast up please!'),
      said('3', 'mast'),
    ]
    expect(judge(texts, words('mast'), 5)).toMatchObject({ total: 2 })
    expect(ids(texts, words('mast'), 1)).toHaveLength(1)
  })

  it('is cut around the place that has the most of the words', () => {
    const text = `mast ${'before '.repeat(1_000)}here the mast stands by the hangar${' after'.repeat(1_000)}`
    const [best] = judge([said('1', text)], words('mast', 'hangar'), 1).best
    expect(best?.text).toContain('the mast stands by the hangar')
    expect(best?.text.length).toBeLessThan(1_300)
    expect(best?.text).toMatch(/^…before .* after/)
  })

  it('stays text of whole characters, and small, whatever it was', () => {
    const [best] = judge([said('1', `mast ${'🛩️'.repeat(5_000)}`)], words('mast'), 1).best
    expect(best?.text.isWellFormed()).toBe(true)
    expect(best?.text.length).toBeLessThan(1_300)
    const began = performance.now()
    judge([said('1', 'mast '.repeat(13_000))], words('mast', 'as', 'st', 't m'), 1)
    expect(performance.now() - began).toBeLessThan(5_000)
  })
})

it('is nothing of nothing', () => {
  expect(judge([], words('mast'), 5)).toEqual({ best: [], total: 0 })
})
