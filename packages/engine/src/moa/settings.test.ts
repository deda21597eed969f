import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type MoaPreset, moaPreset } from '@panoptes/schema'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DEFAULT_CONFIG } from '../home/default-config.ts'
import { parseConfig } from '../home/parse-config.ts'
import { resolvePaths } from '../home/paths.ts'
import { openConfigSettings } from './config-settings.ts'
import { openMoaSettings } from './settings.ts'

let home = ''
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'panoptes-settings-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const file = () => join(home, 'config.yaml')
const parsed = (text: string) => {
  const result = parseConfig(text)
  if (!result.ok) throw new Error(JSON.stringify(result.mistakes))
  return result.value.config
}
const open = (text = DEFAULT_CONFIG) => {
  writeFileSync(file(), text)
  const config = parsed(text).moa
  const kept = openConfigSettings(resolvePaths({ PANOPTES_HOME: home }), config)
  return openMoaSettings({ config, kept, hermesHome: join(home, 'hermes') })
}
const slot = (model: string) => ({ provider: 'local', model })
const preset = (more: object = {}): MoaPreset =>
  moaPreset.parse({ reference_models: [slot('a')], aggregator: slot('b'), ...more })

describe('MoA settings', () => {
  it('take effect at once and keep every comment in the file', async () => {
    const settings = open()
    expect([settings.savesTraces(), settings.defaultPreset()]).toEqual([false, null])
    expect(await settings.putPreset('one', preset())).toMatchObject({ ok: true })
    expect(await settings.saveTraces(true)).toMatchObject({ ok: true })
    expect([settings.savesTraces(), settings.defaultPreset()]).toEqual([true, 'one'])
    const text = readFileSync(file(), 'utf8')
    expect(parsed(text).moa).toMatchObject({ save_traces: true, presets: { one: preset() } })
    for (const line of DEFAULT_CONFIG.split('\n').filter((each) => each.trim().startsWith('#')))
      expect(text).toContain(line)
    await settings.removePreset('one')
    await settings.saveTraces(false)
    expect(readFileSync(file(), 'utf8')).toBe(DEFAULT_CONFIG)
  })

  it('are all written if several change at once', async () => {
    const settings = open()
    await Promise.all(['a', 'b', 'c', 'd'].map((name) => settings.putPreset(name, preset())))
    expect(Object.keys(parsed(readFileSync(file(), 'utf8')).moa.presets)).toEqual(['a', 'b', 'c', 'd'])
  })

  it('keep concurrent edits to the file, and refuse to change a file with mistakes', async () => {
    const settings = open()
    writeFileSync(file(), '# changed\nlog:\n  level: debug\n')
    await settings.putPreset('one', preset())
    expect(parsed(readFileSync(file(), 'utf8'))).toMatchObject({
      log: { level: 'debug' },
      moa: { presets: { one: {} } },
    })
    writeFileSync(file(), 'log:\n  level: loud\n')
    const refused = await settings.putPreset('two', preset())
    expect(refused).toMatchObject({ ok: false, message: expect.stringContaining('config.yaml:2:10') })
    expect(readFileSync(file(), 'utf8')).toBe('log:\n  level: loud\n')
    expect(Object.keys(settings.presets())).toEqual(['one'])
  })

  it('stay unchanged if the file cannot be written', async () => {
    const settings = open()
    rmSync(home, { recursive: true })
    expect(await settings.saveTraces(true)).toMatchObject({ ok: false })
    expect(settings.savesTraces()).toBe(false)
  })

  it('round-trip any preset under any name', async () => {
    const name = fc
      .string({ minLength: 1, maxLength: 20, unit: 'grapheme' })
      .filter((each) => each !== '__proto__')
    const any = fc.record({
      enabled: fc.boolean(),
      fanout: fc.constantFrom('user_turn', 'per_iteration', 'every_n:4'),
      reference_temperature: fc.option(fc.constantFrom(0, 0.6)),
      deadline: fc.option(fc.integer({ min: 1, max: 99 })),
      quorum: fc.option(fc.integer({ min: 1, max: 3 })),
      degraded_reference_policy: fc.constantFrom('loud', 'silent'),
    })
    const settings = open()
    await fc.assert(
      fc.asyncProperty(name, any, async (called, more) => {
        await settings.putPreset(called, preset(more))
        expect(parsed(readFileSync(file(), 'utf8')).moa.presets[called]).toEqual(preset(more))
      }),
      { numRuns: 40 },
    )
  })

  it('include the presets of Hermes if enabled, after our own', async () => {
    const block = (names: readonly string[]) =>
      `moa:\n  default_preset: theirs\n  presets:\n${names.map((name) => `    ${name}: {aggregator: {provider: h, model: m}}\n`).join('')}`
    const { mkdirSync } = await import('node:fs')
    mkdirSync(join(home, 'hermes'))
    writeFileSync(join(home, 'hermes', 'config.yaml'), block(['theirs', 'both']))
    const ours = 'moa:\n  from_hermes: true\n  presets:\n    both: {aggregator: {provider: o, model: m}}\n'
    const settings = open(ours)
    expect(Object.entries(settings.all()).map(([name, one]) => [name, one.from])).toEqual([
      ['both', 'config'],
      ['theirs', 'hermes'],
    ])
    expect(settings.presets().both?.aggregator.provider).toBe('o')
    expect(settings.defaultPreset()).toBe('theirs')
    expect(await settings.removePreset('theirs')).toMatchObject({ ok: false, code: 'invalid' })
    expect(Object.keys(open(ours.replace('true', 'false')).presets())).toEqual(['both'])
  })
})
