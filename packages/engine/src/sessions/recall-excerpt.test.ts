import type { Hit } from '@panoptes/engine/store'
import { describe, expect, it } from 'vitest'
import { judge } from './recall.ts'

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
const recalled = (id: string, text: string, ts?: number) => ({ hit: hit(id, ts), text })
const ids = (...args: Parameters<typeof judge>) => judge(...args).best.map((each) => each.hit.id)

describe('recalled messages', () => {
  it('are ranked by how much of them is about the words', () => {
    const texts = [
      recalled('long', `mast and hangar ${'of something else '.repeat(200)}`),
      recalled('short', 'a mast by the hangar'),
      recalled('often', 'mast, hangar, mast, hangar, mast'),
    ]
    expect(ids(texts, words('mast', 'hangar'), 5)).toEqual(['often', 'short', 'long'])
  })

  it('contain more than one of many words, each as a whole, or the most telling one', () => {
    const texts = [
      recalled('one', 'the mast'),
      recalled('part', 'mastery of hangars'),
      recalled('two', 'Mast, Hangar'),
    ]
    const many = words('mast', 'hangar', 'mooring', 'rope')
    expect(ids(texts, many, 5)).toEqual(['two'])
    expect(ids(texts, [{ word: 'mast', weight: 30 }, ...many.slice(1)], 5)).toEqual(['two', 'one'])
    expect(ids(texts, words('mast'), 5)).toEqual(['one', 'two'])
  })

  it('match regardless of accents, and in scripts without spaces', () => {
    const texts = [recalled('fr', 'Le CAFÉ re\u0301pare\u0301'), recalled('zh', '修复数据库')]
    expect(ids(texts, words('cafe', 'réparé'), 5)).toEqual(['fr'])
    expect(ids(texts, words('数据', '据库'), 5)).toEqual(['zh'])
  })

  it('rank slightly higher when recent, whenever the question is asked', () => {
    const day = 86_400_000
    const texts = [recalled('old', 'the mast is up', 1), recalled('new', 'a mast was up', 400 * day)]
    expect(ids(texts, words('mast'), 5)).toEqual(['new', 'old'])
    expect(ids([recalled('undated', 'mast'), ...texts], words('mast'), 5)).toContain('undated')
  })

  it('appear and count once when they repeat', () => {
    const texts = [
      recalled('1', 'put the mast up, please'),
      recalled('2', 'Put the mast up please!'),
      recalled('3', 'mast'),
    ]
    expect(judge(texts, words('mast'), 5)).toMatchObject({ total: 2 })
    expect(ids(texts, words('mast'), 1)).toHaveLength(1)
  })

  it('are cut around the place with most of the words', () => {
    const text = `mast ${'before '.repeat(1_000)}here the mast stands by the hangar${' after'.repeat(1_000)}`
    const [best] = judge([recalled('1', text)], words('mast', 'hangar'), 1).best
    expect(best?.text).toContain('the mast stands by the hangar')
    expect(best?.text.length).toBeLessThan(1_300)
    expect(best?.text).toMatch(/^…before .* after/)
  })

  it('stay small and keep whole characters, whatever the text', () => {
    const [best] = judge([recalled('1', `mast ${'🛩️'.repeat(5_000)}`)], words('mast'), 1).best
    expect(best?.text.isWellFormed()).toBe(true)
    expect(best?.text.length).toBeLessThan(1_300)
    const began = performance.now()
    judge([recalled('1', 'mast '.repeat(13_000))], words('mast', 'as', 'st', 't m'), 1)
    expect(performance.now() - began).toBeLessThan(5_000)
  })
})

it('returns nothing for an empty query', () => {
  expect(judge([], words('mast'), 5)).toEqual({ best: [], total: 0 })
})
