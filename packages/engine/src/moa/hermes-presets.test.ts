import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parseConfig } from '../home/parse-config.ts'
import { followHermesPresets, parsePresets } from './settings.ts'

/** The block as Hermes ships it, with every key. */
const BLOCK = `moa:
  default_preset: default
  active_preset: ""
  save_traces: false
  trace_dir: null
  privacy_filter: ""
  presets:
    default:
      enabled: true
      reference_models:
        - {provider: openai-codex, model: gpt-5.5, enabled: true, reasoning_effort: low}
        - {provider: openrouter, model: deepseek/deepseek-v4-pro}
      aggregator: {provider: openrouter, model: anthropic/claude-opus-4.8, reasoning_effort: high}
      reference_temperature: null
      aggregator_temperature: null
      reference_timeout: null
      degraded_reference_policy: loud
      reference_tool_result_budget: 4000
      fanout: user_turn
`

const pasted = (text: string) => {
  const parsed = parseConfig(text)
  return parsed.ok ? parsed.value.config.moa : parsed.mistakes.map(({ path, reason }) => `${path} ${reason}`)
}
const preset = (lines: string) => {
  const moa = pasted(`moa:\n  presets:\n    p:\n      aggregator: {provider: x, model: y}\n      ${lines}\n`)
  return Array.isArray(moa) ? moa.join('\n') : (moa as { presets: Record<string, object> }).presets.p
}

describe('Hermes block pasted into the config', () => {
  it('is accepted unchanged', () => {
    expect(pasted(BLOCK)).toMatchObject({
      default_preset: 'default',
      presets: {
        default: {
          reference_models: [
            { provider: 'openai-codex', model: 'gpt-5.5', reasoning_effort: 'low' },
            { provider: 'openrouter', model: 'deepseek/deepseek-v4-pro', enabled: true },
          ],
          aggregator: { model: 'anthropic/claude-opus-4.8', reasoning_effort: 'high' },
          fanout: 'user_turn',
        },
      },
    })
  })

  it('accepts lists as JSON or a single item, and models that are not set', () => {
    const one = [{ provider: 'a', model: 'b', enabled: true }]
    expect(preset(`reference_models: '[{"provider":"a","model":"b"}]'`)).toMatchObject({
      reference_models: one,
    })
    expect(preset('reference_models: {provider: a, model: b}')).toMatchObject({ reference_models: one })
    expect(preset(`reference_models: [{provider: a, model: b}, {provider: "", model: ""}]`)).toMatchObject({
      reference_models: one,
    })
    expect(preset('reference_models:')).toMatchObject({ reference_models: [] })
  })

  it('accepts a fan-out map, an out-of-range budget, an unknown policy and legacy keys', () => {
    expect(preset('fanout: {mode: every_n, n: 3}')).toMatchObject({ fanout: 'every_n:3' })
    expect(preset('fanout: every_n:2')).toMatchObject({ fanout: 'every_n:2' })
    expect(preset('reference_tool_result_budget: 5')).toMatchObject({ reference_tool_result_budget: 1_000 })
    expect(preset('reference_tool_result_budget: 99999')).toMatchObject({
      reference_tool_result_budget: 32_000,
    })
    expect(preset('reference_tool_result_budget: null')).toMatchObject({
      reference_tool_result_budget: 4_000,
    })
    expect(preset('degraded_reference_policy: whatever')).toMatchObject({ degraded_reference_policy: 'loud' })
    expect(preset('reference_max_tokens: 4096')).toMatchObject({ fanout: 'user_turn' })
  })

  it('accepts the privacy filter as one known word and no other', () => {
    const filter = (value: string) => {
      const moa = pasted(`moa:\n  privacy_filter: ${value}\n`)
      return Array.isArray(moa) ? moa[0] : (moa as { privacy_filter: string }).privacy_filter
    }
    for (const yes of ['true', 'on', 'yes', '1', '"1"', 'full']) expect(filter(yes)).toBe('full')
    for (const no of ['', 'false', 'off', 'no', '""', 'null']) expect(filter(no)).toBe('')
    expect(filter('display')).toBe('display')
    expect(filter('displya')).toContain("must be '', display or full")
  })

  it('is rejected with the position of a typo', () => {
    expect(preset('fanout: every_n:1')).toContain('moa.presets.p.fanout must be user_turn')
    expect(preset('fan_out: user_turn')).toContain('fan_out')
    expect(preset('reference_models: [{provider: a}]')).toContain('reference_models.0.model')
    expect(preset('reference_timeout: 0')).toContain('reference_timeout must be over 0')
    expect(preset('reference_temperature: hot')).toContain('reference_temperature must be a number')
  })
})

describe('Hermes config.yaml', () => {
  let home = ''
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'panoptes-hermes-'))
  })
  afterEach(() => rmSync(home, { recursive: true, force: true }))
  const write = (text: string, seconds: number) => {
    writeFileSync(join(home, 'config.yaml'), text)
    utimesSync(join(home, 'config.yaml'), seconds, seconds)
  }

  it('is read in place, and again after it changed', () => {
    const read = followHermesPresets(home)
    expect(read()).toEqual({ presets: {}, defaultPreset: null, problems: [] })
    write(`model: x\nunknown: [1]\n${BLOCK}`, 1_000)
    const first = read()
    expect(Object.keys(first.presets)).toEqual(['default'])
    expect(first.defaultPreset).toBe('default')
    expect(read()).toBe(first)
    write(BLOCK.replace('    default:\n', '    other:\n'), 2_000)
    expect(Object.keys(read().presets)).toEqual(['other'])
    rmSync(join(home, 'config.yaml'))
    expect(read().presets).toEqual({})
  })

  it('reports why it cannot be read and is otherwise ignored', () => {
    write('moa: [\n', 1_000)
    expect(followHermesPresets(home)()).toMatchObject({ presets: {}, problems: [expect.any(String)] })
    write(`a: &a [x,x]\nb: &b [*a,*a]\nc: &c [*b,*b]\nd: &d [*c,*c]\ne: [*d,*d]\n`.repeat(1), 2_000)
    expect(followHermesPresets(home)().presets).toEqual({})
  })

  it('is read as tolerantly as Hermes reads it', () => {
    const { presets, problems } = parsePresets({
      presets: {
        p: {
          reference_models: [
            { provider: 'a', model: 'b' },
            { provider: 'a' },
            'x',
            null,
            { provider: 'moa', model: 'p' },
          ],
          aggregator: '{"provider":"x","model":"y"}',
          reference_timeout: -1,
          reference_temperature: '0.6',
          fanout: 'sometimes',
          enabled: 'no',
          reference_tool_result_budget: '5000.5',
          later: { key: true },
        },
        none: { reference_models: [{ provider: 'a', model: 'b' }] },
      },
    })
    expect(presets).toEqual({
      p: {
        enabled: false,
        reference_models: [{ provider: 'a', model: 'b', enabled: true }],
        aggregator: { provider: 'x', model: 'y', enabled: true },
        reference_temperature: 0.6,
        aggregator_temperature: null,
        reference_timeout: null,
        degraded_reference_policy: 'loud',
        reference_tool_result_budget: 5_000,
        fanout: 'user_turn',
        deadline: null,
        quorum: null,
        max_cost_usd: null,
      },
    })
    expect(problems).toEqual(['The Hermes preset none has no acting model.'])
  })

  it('accepts any content', () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), (moa, one) => {
        parsePresets(moa)
        parsePresets({ presets: { one } })
        parsePresets({
          presets: { one: { aggregator: { provider: 'x', model: 'y' }, reference_models: one } },
        })
      }),
    )
  })
})
