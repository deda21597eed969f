import { describe, expect, it } from 'vitest'
import { editConfig } from './config-file.ts'
import { DEFAULT_CONFIG } from './default-config.ts'
import { parseConfig } from './parse-config.ts'

const edited = (text: string, key: string, value: string): string => {
  const result = editConfig(text, key, value)
  if (!result.ok) throw new Error(result.message)
  return result.value
}

const settings = (text: string) => {
  const parsed = parseConfig(text)
  return parsed.ok ? parsed.value.config : undefined
}

describe('editConfig', () => {
  it('changes one value and keeps every other line', () => {
    const after = edited(DEFAULT_CONFIG, 'server.port', '8300').split('\n')
    const before = DEFAULT_CONFIG.split('\n')
    const changed = before.flatMap((line, index) => (line === after[index] ? [] : [index]))
    expect(after.length).toBe(before.length)
    expect(changed.map((index) => after[index])).toEqual(['  port: 8300'])
  })

  it('adds a missing setting and keeps the comments', () => {
    const after = edited('# mine\nlog: # quiet\n', 'server.port', '0')
    expect(after).toContain('# mine')
    expect(settings(after)?.server.port).toBe(0)
    expect(settings(edited('', 'log.level', 'debug'))?.log.level).toBe('debug')
  })

  it('converts each value to the type of its setting', () => {
    expect(settings(edited('', 'server.host', '0'))?.server.host).toBe('0')
    expect(settings(edited('', 'server.allowed_hosts', 'a.lan, b.lan'))?.server.allowed_hosts).toEqual([
      'a.lan',
      'b.lan',
    ])
    expect(settings(edited('', 'server.allowed_hosts', '[c.lan]'))?.server.allowed_hosts).toEqual(['c.lan'])
    expect(settings(edited('', 'retention.max_age_days', 'null'))?.retention.max_age_days).toBeNull()
  })

  it('accepts a list of objects as YAML or JSON, and a single object as a list', () => {
    const limits = (value: string) => settings(edited('', 'budgets.limits', value))?.budgets.limits
    expect(limits('[{ per: day, usd: 25 }, { per: week, usd: 90 }]')).toMatchObject([
      { per: 'day', usd: 25 },
      { per: 'week', usd: 90 },
    ])
    expect(limits('{"per":"day","usd":25}')).toMatchObject([{ per: 'day', usd: 25 }])
    expect(limits('{ per: month, usd: 0.01, project: notes }')).toMatchObject([{ project: 'notes' }])
    expect(limits('[]')).toEqual([])
  })

  it('refuses an invalid value, an unknown key and a file that is already broken', () => {
    expect(editConfig('', 'server.port', 'many')).toMatchObject({
      ok: false,
      message: 'server.port must be a whole number',
    })
    expect(editConfig('', 'server.prot', '1')).toMatchObject({
      ok: false,
      message: 'server.prot is not a setting; did you mean server.port?',
    })
    expect(editConfig('server: [', 'server.port', '1')).toMatchObject({ ok: false, code: 'invalid' })
    expect(editConfig('', 'server', '1')).toMatchObject({ ok: false })
  })
})
