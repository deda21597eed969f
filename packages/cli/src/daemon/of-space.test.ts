import { config } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { configOfSpace, environmentOfSpace } from './of-space.ts'

describe("the config of a space other than the hub's own", () => {
  const whole = (more: object = {}) =>
    config.parse({
      runtimes: {
        jarvis: { provider: 'local', model: 'small' },
        hermes: { command: ['hermes', 'acp'] },
        acp: { mine: { command: ['mine'] } },
        ...more,
      },
      mcp_servers: { files: { command: 'files-mcp' } },
    })

  it('keeps Jarvis with its models and removes everything that acts as the user of the hub', () => {
    const { runtimes, mcp_servers } = configOfSpace(whole())
    expect(runtimes).toEqual({ default: null, jarvis: whole().runtimes.jarvis, hermes: null, acp: {} })
    expect(mcp_servers).toEqual({})
  })

  it.each([
    ['jarvis', 'jarvis'],
    ['hermes', null],
    ['mine', null],
    ['acp:mine', null],
  ])('changes the default runtime %s to %s', (named, expected) => {
    expect(configOfSpace(whole({ default: named })).runtimes.default).toBe(expected)
  })

  it('contains no folders, projects or commands of the user who runs the hub', () => {
    const own = config.parse({
      layout: 'hermes',
      live: { notify_command: 'tell-me' },
      skills: { folders: ['~/skills'] },
      budgets: {
        limits: [
          { per: 'day', usd: 5 },
          { per: 'day', usd: 5, project: 'secret' },
        ],
        command: 'tell-me',
      },
      moa: { trace_dir: '~/traces', from_hermes: true },
      chat: { knowledge: ['~/notes'], folder: '~/work' },
    })
    const told = configOfSpace(own)
    expect(JSON.stringify(told)).not.toMatch(/~|tell-me|secret/)
    expect([told.layout, told.moa.from_hermes, told.budgets.limits.length]).toEqual(['panoptes', false, 1])
  })
})

describe("the environment of a space other than the hub's own", () => {
  it('has no path into the home of the user who runs the hub, and keeps the keys of models', () => {
    const env = {
      HOME: '/home/ann',
      CLAUDE_CONFIG_DIR: '/home/ann/c',
      HERMES_HOME: '/home/ann/h',
      CODEX_HOME: '/home/ann/x',
      XDG_DATA_HOME: '/home/ann/d',
      OPENAI_API_KEY: 'k',
    }
    expect(environmentOfSpace(env, { home: '/srv/blue' })).toEqual({ HOME: '/srv/blue', OPENAI_API_KEY: 'k' })
  })
})
