import { describe, expect, it } from 'vitest'
import { findLaunchers, type ProcessInfo } from './launchers.ts'

const NPM: ProcessInfo = { parent: 1, command: 'npm exec panoptes up' }
const SHELL: ProcessInfo = { parent: 10, command: "sh -c 'panoptes' up" }
const NPM_ENV = { npm_command: 'exec' }

const find = (
  env: Readonly<Record<string, string>>,
  parent: number,
  processes: Readonly<Record<number, ProcessInfo>>,
) => findLaunchers({ env, parent, read: (pid) => processes[pid] })

describe('the launchers of a daemon', () => {
  it('are npm and the shell that npm started', () => {
    expect(find(NPM_ENV, 11, { 10: NPM, 11: SHELL })).toEqual([11, 10])
  })

  it('are npm alone where its shell replaced itself with the command', () => {
    expect(find(NPM_ENV, 10, { 10: NPM })).toEqual([10])
    expect(find(NPM_ENV, 10, { 10: { parent: 1, command: 'npm start' } })).toEqual([10])
  })

  it('are the shell of a script and npm if that shell is another program', () => {
    const bash = { parent: 10, command: '/bin/bash -c panoptes up' }
    expect(find({ npm_command: 'run-script' }, 11, { 10: NPM, 11: bash })).toEqual([11, 10])
  })

  it('are the Node that re-ran the command and those before it', () => {
    const rerun = { parent: 11, command: 'node panoptes up' }
    const processes = { 10: NPM, 11: SHELL, 12: rerun }
    expect(find({ PANOPTES_RERUN: '12' }, 12, processes)).toEqual([12])
    expect(find({ ...NPM_ENV, PANOPTES_RERUN: '12' }, 12, processes)).toEqual([12, 11, 10])
  })

  it('do not include a terminal that was opened by an npm script', () => {
    const terminal = { parent: 10, command: '-bash' }
    expect(find(NPM_ENV, 11, { 10: NPM, 11: terminal })).toEqual([])
    const script = { parent: 11, command: 'sh -c panoptes up' }
    expect(find(NPM_ENV, 12, { 10: NPM, 11: terminal, 12: script })).toEqual([])
  })

  it('do not include the command that started a detached daemon', () => {
    const detaching = { parent: 11, command: 'node panoptes up --detach' }
    const env = { ...NPM_ENV, PANOPTES_RERUN: '12' }
    expect(find(env, 13, { 10: NPM, 11: SHELL, 12: detaching, 13: { ...detaching, parent: 12 } })).toEqual([])
  })

  it('do not include a shell outside npm, nor a process that is already gone', () => {
    expect(find({}, 11, { 10: NPM, 11: SHELL })).toEqual([])
    expect(find(NPM_ENV, 1, {})).toEqual([])
  })
})
