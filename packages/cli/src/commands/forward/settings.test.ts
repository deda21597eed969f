import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHome, forwardTokenFile, keepForwardToken } from '@panoptes/engine/home'
import { config } from '@panoptes/schema'
import { expect, it, onTestFinished } from 'vitest'
import { orFail } from '../../failure.ts'
import { loadConfig } from '../config.ts'
import { saidIn } from '../sessions/sessions.test-kit.ts'
import { keepSettings, parseHubAddress, resolveToken } from './forward.ts'

const TOKENS = ['a', 'b', 'c', 'd'].map((letter) => `pn_ing_${letter.repeat(43)}`) as [
  string,
  string,
  string,
  string,
]

async function home() {
  const folder = mkdtempSync(join(tmpdir(), 'panoptes-forward-command-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const { context } = saidIn(folder)
  orFail(await createHome(context.paths))
  return { folder, context }
}

it('writes the hub address and keeps every other setting, also when forwarding is switched off', async () => {
  const { context } = await home()
  writeFileSync(context.paths.config, 'forward: {what: metadata, token_file: /x}\nlog: {level: debug}\n')
  const forward = async () => (await loadConfig(context)).config
  await keepSettings(context, { to: 'https://hub.example', token: { token: TOKENS[0], isNew: false } })
  expect(await forward()).toMatchObject({
    forward: { to: 'https://hub.example', what: 'metadata', token_file: '/x' },
    log: { level: 'debug' },
  })
  await keepSettings(context, {
    to: 'https://hub.example',
    what: 'events',
    token: { token: TOKENS[1], isNew: true },
  })
  expect((await forward()).forward).toMatchObject({ what: 'events', token_file: null })
  expect(readFileSync(forwardTokenFile(context.paths), 'utf8').trim()).toBe(TOKENS[1])
  await keepSettings(context, { to: null })
  expect(await forward()).toMatchObject({ forward: { to: null, what: 'events' }, log: { level: 'debug' } })
})

it('takes the token from the named file, then the environment, then the saved one', async () => {
  const { folder, context } = await home()
  const { forward } = config.parse({})
  const given = (file?: string, env: object = {}, settings = forward) =>
    resolveToken({ ...context, env: { ...context.env, ...env } }, file, settings)
  await expect(given()).rejects.toMatchObject({ code: 'no_token' })
  orFail(await keepForwardToken(context.paths, TOKENS[0]))
  expect(await given()).toEqual({ token: TOKENS[0], isNew: false })
  const [named, other] = [join(folder, 'named'), join(folder, 'other')]
  writeFileSync(named, `${TOKENS[1]}\n`, { mode: 0o600 })
  writeFileSync(other, TOKENS[3], { mode: 0o600 })
  expect(await given(undefined, {}, { ...forward, token_file: other })).toEqual({
    token: TOKENS[3],
    isNew: false,
  })
  const env = { PANOPTES_FORWARD_TOKEN: TOKENS[2] }
  expect(await given(undefined, env)).toEqual({ token: TOKENS[2], isNew: true })
  expect(await given(named, env)).toEqual({ token: TOKENS[1], isNew: true })
})

it('rejects a hub address that is invalid or contains a password', () => {
  expect(parseHubAddress('https://hub.example')).toMatch(/^https:\/\/hub\.example/)
  for (const wrong of ['hub', 'ftp://hub.example', 'https://ann:pw@hub.example', 'https://ann@hub.example'])
    expect(() => parseHubAddress(wrong), wrong).toThrow(/^--to/)
})
