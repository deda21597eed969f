import { parseConfig } from '@panoptes/engine/home'
import { describe, expect, it } from 'vitest'
import { settingOf, settingsOf, settingsUnder } from './setting.ts'

function parsed(text: string) {
  const read = parseConfig(text)
  if (!read.ok) throw new Error('wrong settings')
  return read.value
}

const PRICED = 'log: {level: debug}\nprices:\n  local-3.5:\n    input: 1\n    output: 2\n'

describe('settings', () => {
  it('are shown with the prices, and where they begin in the file', () => {
    const all = settingsOf(parsed(PRICED))
    expect(all.find(({ key }) => key === 'log.level')).toMatchObject({ value: 'debug', line: 1 })
    expect(all.find(({ key }) => key === 'prices')).toMatchObject({
      key: 'prices',
      value: { 'local-3.5': { input: 1, output: 2 } },
      from: 'file',
      line: 4,
    })
    expect(settingsOf(parsed('')).slice(-6)).toMatchObject([
      { key: 'prices', value: {}, from: 'default' },
      { key: 'providers', value: {}, from: 'default' },
      { key: 'moa.presets', value: {}, from: 'default' },
      { key: 'templates.tools', value: {}, from: 'default' },
      { key: 'runtimes.acp', value: {}, from: 'default' },
      { key: 'mcp_servers', value: {}, from: 'default' },
    ])
  })

  it('of tools are a table too, whose names may have dots', () => {
    const config = parsed('templates:\n  tools:\n    acme.run: code\n')
    expect(settingOf(config, 'templates.tools.acme.run')).toMatchObject({
      ok: true,
      value: { value: 'code', line: 3 },
    })
    expect(settingOf(config, 'templates.experiment')).toMatchObject({ ok: true, value: { value: null } })
  })

  it('of a group are read together', () => {
    const config = parsed('budgets: {warn_at: 0.5}\ntemplates: {tools: {acme: code}}\n')
    const keys = settingsUnder(config, 'budgets').map(({ key }) => key)
    expect(keys).toContain('budgets.limits')
    expect(keys.every((key) => key.startsWith('budgets.'))).toBe(true)
    expect(settingsUnder(config, 'templates')).toContainEqual(
      expect.objectContaining({ key: 'templates.tools', value: { acme: 'code' } }),
    )
    for (const none of ['budget', 'budgets.limits', 'prices', ''])
      expect(settingsUnder(config, none)).toEqual([])
  })

  it('shows the addresses of a database and a bus without their passwords', () => {
    const config = parsed('team: {ledger: "postgres://u:hunter2@db/x", bus: "nats://u:hunter2@bus:4222"}\n')
    for (const key of ['team.ledger', 'team.bus']) {
      const found = settingOf(config, key)
      expect(JSON.stringify(found)).toMatch(/@(db|bus)/)
      expect(JSON.stringify(found)).not.toContain('hunter2')
    }
    expect(JSON.stringify(settingsOf(config))).not.toContain('hunter2')
  })

  it('are asked for by their name, a price by that of its model', () => {
    const config = parsed(PRICED)
    expect(settingOf(config, 'prices')).toMatchObject({ ok: true, value: { from: 'file' } })
    expect(settingOf(config, 'prices.local-3.5')).toMatchObject({
      ok: true,
      value: { value: { input: 1, output: 2 } },
    })
    expect(settingOf(config, 'prices.other')).toMatchObject({
      ok: false,
      message: 'prices has no other',
    })
    expect(settingOf(config, 'log.levl')).toMatchObject({
      ok: false,
      message: expect.stringContaining('did you mean log.level?'),
    })
  })
})
