import { parseConfig } from '@panoptes/engine/home'
import { describe, expect, it } from 'vitest'
import { findSetting, listGroupSettings, listSettings } from './config.ts'

function parsed(text: string) {
  const read = parseConfig(text)
  if (!read.ok) throw new Error('wrong settings')
  return read.value
}

const PRICED = 'log: {level: debug}\nprices:\n  local-3.5:\n    input: 1\n    output: 2\n'

describe('config settings', () => {
  it('include the prices, with the line of each in the file', () => {
    const all = listSettings(parsed(PRICED))
    expect(all.find(({ key }) => key === 'log.level')).toMatchObject({ value: 'debug', line: 1 })
    expect(all.find(({ key }) => key === 'prices')).toMatchObject({
      key: 'prices',
      value: { 'local-3.5': { input: 1, output: 2 } },
      from: 'file',
      line: 4,
    })
    expect(listSettings(parsed('')).slice(-6)).toMatchObject([
      { key: 'prices', value: {}, from: 'default' },
      { key: 'providers', value: {}, from: 'default' },
      { key: 'moa.presets', value: {}, from: 'default' },
      { key: 'templates.tools', value: {}, from: 'default' },
      { key: 'runtimes.acp', value: {}, from: 'default' },
      { key: 'mcp_servers', value: {}, from: 'default' },
    ])
  })

  it('find a row of templates.tools whose name contains a dot', () => {
    const config = parsed('templates:\n  tools:\n    acme.run: code\n')
    expect(findSetting(config, 'templates.tools.acme.run')).toMatchObject({
      ok: true,
      value: { value: 'code', line: 3 },
    })
    expect(findSetting(config, 'templates.experiment')).toMatchObject({ ok: true, value: { value: null } })
  })

  it('are listed by group', () => {
    const config = parsed('budgets: {warn_at: 0.5}\ntemplates: {tools: {acme: code}}\n')
    const keys = listGroupSettings(config, 'budgets').map(({ key }) => key)
    expect(keys).toContain('budgets.limits')
    expect(keys.every((key) => key.startsWith('budgets.'))).toBe(true)
    expect(listGroupSettings(config, 'templates')).toContainEqual(
      expect.objectContaining({ key: 'templates.tools', value: { acme: 'code' } }),
    )
    for (const none of ['budget', 'budgets.limits', 'prices', ''])
      expect(listGroupSettings(config, none)).toEqual([])
  })

  it('show the addresses of a database and a bus without their passwords', () => {
    const config = parsed('team: {ledger: "postgres://u:hunter2@db/x", bus: "nats://u:hunter2@bus:4222"}\n')
    for (const key of ['team.ledger', 'team.bus']) {
      const found = findSetting(config, key)
      expect(JSON.stringify(found)).toMatch(/@(db|bus)/)
      expect(JSON.stringify(found)).not.toContain('hunter2')
    }
    expect(JSON.stringify(listSettings(config))).not.toContain('hunter2')
  })

  it('are found by key, and a price by its model', () => {
    const config = parsed(PRICED)
    expect(findSetting(config, 'prices')).toMatchObject({ ok: true, value: { from: 'file' } })
    expect(findSetting(config, 'prices.local-3.5')).toMatchObject({
      ok: true,
      value: { value: { input: 1, output: 2 } },
    })
    expect(findSetting(config, 'prices.other')).toMatchObject({
      ok: false,
      message: 'prices has no other',
    })
    expect(findSetting(config, 'log.levl')).toMatchObject({
      ok: false,
      message: expect.stringContaining('did you mean log.level?'),
    })
  })
})
