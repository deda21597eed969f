#!/usr/bin/env node
// Every Node from version 14 on must parse this file, so that it can report that it is too old.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const NEEDED = 24
const WRONG_NODE = 69
const here = fileURLToPath(import.meta.url)

if (major(process.versions.node) >= NEEDED) start()
else {
  const newer = process.env.PANOPTES_RERUN ? undefined : pinnedNode(dirname(here))
  if (newer) rerun(newer)
  else refuse()
}

function start() {
  if (process.argv.includes('up')) restartLean()
  const source = join(dirname(here), '..', 'src', 'main.ts')
  const bundle = join(dirname(here), '..', 'dist', 'panoptes.js')
  import(pathToFileURL(existsSync(source) ? source : bundle).href)
}

/**
 * Starts this process anew, with the same id, so that memory that was used once goes back to the system: by default
 * glibc keeps what ended threads freed, and V8 a large space for new objects. Both are only set at the start.
 */
function restartLean() {
  const settings = {
    MALLOC_ARENA_MAX: '2',
    MALLOC_TRIM_THRESHOLD_: '131072',
    MALLOC_MMAP_THRESHOLD_: '131072',
    PANOPTES_LEAN: '1',
  }
  if (process.env.PANOPTES_LEAN) {
    // Programs that Panoptes starts are not affected.
    for (const name of Object.keys(settings)) delete process.env[name]
    return
  }
  if (process.platform !== 'linux' || !process.execve || process.env.MALLOC_ARENA_MAX) return
  const args = [process.execPath].concat(process.execArgv, '--max-semi-space-size=1', process.argv.slice(1))
  try {
    process.execve(process.execPath, args, Object.assign({}, process.env, settings))
  } catch {
    // It also works without these settings.
  }
}

function major(version) {
  return Number.parseInt(version, 10)
}

/** Finds the npm package `node` in any node_modules from here upwards. */
function pinnedNode(folder) {
  const found = join(folder, 'node_modules', 'node')
  try {
    const version = JSON.parse(readFileSync(join(found, 'package.json'), 'utf8')).version
    const program = join(found, 'bin', 'node')
    if (major(version) >= NEEDED && existsSync(program)) return program
  } catch {
    // This folder has no such package, so the search continues in the parent.
  }
  return dirname(folder) === folder ? undefined : pinnedNode(dirname(folder))
}

function rerun(program) {
  const child = spawn(program, process.execArgv.concat(here, process.argv.slice(2)), {
    stdio: 'inherit',
    // The daemon watches the process with this id and stops when it ends.
    env: Object.assign({}, process.env, { PANOPTES_RERUN: String(process.pid) }),
  })
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  for (const signal of signals) process.on(signal, () => child.kill(signal))
  child.on('error', refuse)
  child.on('exit', (code, signal) => {
    if (!signal) process.exit(code)
    for (const each of signals) process.removeAllListeners(each)
    process.kill(process.pid, signal)
  })
}

function refuse() {
  process.stderr.write(
    `panoptes: this is Node ${process.versions.node}, and Panoptes needs Node ${NEEDED} or newer. ` +
      `Get it from https://nodejs.org, or put it beside Panoptes with: npm install node@${NEEDED}\n`,
  )
  process.exitCode = WRONG_NODE
}
