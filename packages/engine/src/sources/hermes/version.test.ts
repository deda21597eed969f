import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { hermesSendsWebhooks, installedHermesVersion } from './version.ts'

function lab() {
  const home = mkdtempSync(join(tmpdir(), 'panoptes-hermes-version-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const program = (folder: string, text: string) => {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'hermes'), text, { mode: 0o755 })
    return folder
  }
  const venv = (name: string, version: string) => {
    mkdirSync(join(home, name, 'lib', 'python3.11', 'site-packages', `hermes_agent-${version}.dist-info`), {
      recursive: true,
    })
    return program(join(home, name, 'bin'), `#!${join(home, name, 'bin', 'python')}\nnever run\n`)
  }
  const find = (PATH: string, more: object = {}) => installedHermesVersion({ HOME: home, PATH, ...more })
  return { home, program, venv, find }
}

it('reads the version from the package metadata without running Hermes', async () => {
  const { venv, find } = lab()
  expect(await find(venv('v19', '0.19.0'))).toBe('0.19.0')
})

it("finds the package behind a link and through a script's interpreter line", async () => {
  const { home, venv, program, find } = lab()
  const bin = venv('v', '0.21.3')
  mkdirSync(join(home, 'links'))
  symlinkSync(join(bin, 'hermes'), join(home, 'links', 'hermes'))
  expect(await find(join(home, 'links'))).toBe('0.21.3')
  const copied = program(join(home, 'copied'), `#!${join(bin, 'python')}\nimport sys\n`)
  expect(await find(copied)).toBe('0.21.3')
})

it('runs a program that only wraps another one', async () => {
  const { home, program, find } = lab()
  const path = program(join(home, 'w'), '#!/bin/sh\necho "Hermes Agent v0.19.0 (2026.7.1)"\n')
  expect(await find(path)).toBe('0.19.0')
  expect(await find(program(join(home, 'broken'), '#!/bin/sh\nexit 1\n'))).toBeNull()
})

it("finds the installer's Hermes without PATH, and nothing when it is not installed", async () => {
  const { home, venv, find } = lab()
  expect(await find('/nowhere')).toBeNull()
  venv(join('.hermes', 'hermes-agent', 'venv'), '0.20.1')
  expect(await find('/nowhere')).toBe('0.20.1')
  expect(await find('/nowhere', { HOME: '/nobody', HERMES_HOME: join(home, '.hermes') })).toBe('0.20.1')
})

it.each([
  ['0.19.0', false],
  ['0.9.4', false],
  ['0.20.0', true],
  ['0.21.3', true],
  ['1.0', true],
])('detects whether Hermes %s sends webhooks: %s', (version, sends) => {
  expect(hermesSendsWebhooks(version)).toBe(sends)
})
