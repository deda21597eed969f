import type { ContentBlock } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { cutBlock, wholeInput } from './truncate.ts'

const text = (length: number): ContentBlock => ({ type: 'text', text: 'x'.repeat(length) })
const result = (length: number): ContentBlock => ({
  type: 'tool_result',
  id: 't',
  ok: true,
  text: 'x'.repeat(length),
  duration_ms: null,
})
const image = (length: number): ContentBlock => ({
  type: 'image',
  media_type: 'image/png',
  data: 'x'.repeat(length),
})
const call = (input: unknown): ContentBlock => ({ type: 'tool_call', id: 't', tool: 'Write', input })

describe('a block in a transcript', () => {
  it.each([
    ['a text', text, 100_000],
    ['a result', result, 50_000],
  ])('shows the beginning of %s and counts the rest', (_what, make, most) => {
    expect(cutBlock(make(most))).toEqual(make(most))
    expect(cutBlock(make(most + 7))).toEqual({ ...make(most), left_out: 7 })
  })

  it('leaves out an image that is too large and shows its size', () => {
    expect(cutBlock(image(400_000))).toEqual(image(400_000))
    expect(cutBlock(image(400_001))).toEqual({ ...image(0), data: null, left_out: 400_001 })
    const linked: ContentBlock = { type: 'image', media_type: null, data: null }
    expect(cutBlock(linked)).toEqual(linked)
  })

  it("shows the beginning of each long text in a tool's input", () => {
    const cut = cutBlock(call({ path: '/a', old: 'o'.repeat(40_000), new: 'n'.repeat(40_000) }))
    expect(cut).toMatchObject({
      input: { path: '/a', old: `${'o'.repeat(12_000)}…`, new: `${'n'.repeat(12_000)}…` },
    })
    expect(cut.left_out).toBeGreaterThan(50_000)
    expect(cutBlock(call({ path: '/a' }))).toEqual(call({ path: '/a' }))
  })

  it("ends a list in a tool's input where it becomes too long", () => {
    const { input, left_out } = cutBlock(call(Array(20).fill('x'.repeat(10_000)))) as {
      input: string[]
      left_out?: number
    }
    expect(input).toHaveLength(5)
    expect(left_out).toBeGreaterThan(100_000)
  })

  it('keeps the whole input except for what is nested too deeply', () => {
    let deep: unknown = 'bottom'
    for (let level = 0; level < 200; level += 1) deep = { deep }
    expect(JSON.stringify(wholeInput({ text: 'x'.repeat(100_000), list: [1, null, true] }))).toHaveLength(
      JSON.stringify({ text: 'x'.repeat(100_000), list: [1, null, true] }).length,
    )
    expect(JSON.stringify(wholeInput(deep))).toMatch(/"…"/)
  })
})
