import { describe, expect, it } from 'vitest'
import { scriptPerFrame, type TraceEvent } from './live-trace.ts'

const at = (name: string, ts: number, dur = 0, tid = 1): TraceEvent => ({
  name,
  ph: dur > 0 ? 'X' : 'I',
  pid: 1,
  tid,
  ts,
  dur,
})
const frames = [1_000, 17_000, 33_000].map((ts) => at('BeginMainThreadFrame', ts))

describe('script per frame', () => {
  it('counts everything between two frames, and nested script once', () => {
    const script = [
      { ...at('FireAnimationFrame', 2_000, 4_000), tdur: 3_000 },
      at('FunctionCall', 2_500, 2_000),
      at('EventDispatch', 9_000, 1_000),
      at('MinorGC', 20_000, 500),
    ]
    expect(scriptPerFrame([...script, ...frames])).toEqual([4, 0.5])
  })

  it('ignores other threads, other work, and script before the first or after the last frame', () => {
    const others = [
      at('FunctionCall', 2_000, 3_000, 2),
      at('Paint', 3_000, 1_000),
      at('FunctionCall', 10, 100),
      at('FunctionCall', 40_000, 100),
    ]
    expect(scriptPerFrame([...frames, ...others])).toEqual([0, 0])
  })
})
