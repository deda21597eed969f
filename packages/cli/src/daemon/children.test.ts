import { config } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { childrenEnv } from './children.ts'

describe('the environment of programs that a hub starts', () => {
  const env = {
    PATH: '/bin',
    PANOPTES_LEDGER: 'a',
    PANOPTES_BUS: 'b',
    PANOPTES_FORWARD_TOKEN: 'c',
    PGPASSWORD: 'd',
    PGPASSFILE: '/home/ann/.pgpass',
    OIDC: 'e',
  }

  it('contains no secrets of the database, the bus or the sign-in', () => {
    const sign_in = { issuer: 'https://login.example', client_id: 'p', client_secret_env: 'OIDC' }
    expect(childrenEnv(env, config.parse({ team: { sign_in } }))).toEqual({ PATH: '/bin' })
    expect(childrenEnv(env, config.parse({}))).toEqual({ PATH: '/bin', OIDC: 'e' })
  })
})
