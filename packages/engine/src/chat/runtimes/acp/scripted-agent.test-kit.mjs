// This agent speaks ACP on standard input and output, and follows the script that its test sends over a socket.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'

const { SCRIPT_PORT, SCRIPT_STORE = '' } = process.env
const control = connect(Number(SCRIPT_PORT), '127.0.0.1')
const answers = []
createInterface({ input: control }).on('line', (line) => answers.shift()?.(JSON.parse(line)))
const tell = (news) => control.write(`${JSON.stringify(news)}\n`)
const told = (news) => new Promise((done) => answers.push(done) && tell(news))

const write = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const update = (sessionId, sessionUpdate, more) =>
  write({ method: 'session/update', params: { sessionId, update: { sessionUpdate, ...more } } })

const asked = new Map()
let requests = 0
const ask = (method, params) =>
  new Promise((done) => {
    requests += 1
    asked.set(requests, done)
    write({ id: requests, method, params })
  })

/** The ACP version of the current connection. */
let version = 1
const open = new Set()
const cancelled = new Map()
const fileOf = (session) => join(SCRIPT_STORE, `${session}.json`)
const storedOf = (session) =>
  existsSync(fileOf(session)) ? JSON.parse(readFileSync(fileOf(session), 'utf8')) : []

const opened = (session) => {
  open.add(session)
  // A version 2 agent repeats how its previous work ended. The client must not take that for the end of the next.
  if (version === 2) update(session, 'state_update', { state: 'idle', stopReason: 'end_turn' })
  if (version === 2) return { configOptions: [MODELS] }
  const available = ['small', 'large'].map((modelId) => ({ modelId, name: modelId }))
  return { models: { currentModelId: 'small', availableModels: available } }
}

const MODELS = {
  configId: 'model',
  name: 'Model',
  category: 'model',
  type: 'select',
  currentValue: 'small',
  options: ['small', 'large'].map((value) => ({ value, name: value })),
}

const textOf = (prompt) =>
  prompt.map(({ text, type, uri, resource }) => text ?? `[${type} ${uri ?? resource?.uri ?? ''}]`).join('\n')

const cut = (text, pieces) => {
  const letters = [...text]
  const size = Math.max(1, Math.ceil(letters.length / pieces))
  return Array.from({ length: Math.ceil(letters.length / size) }, (_, at) =>
    letters.slice(at * size, (at + 1) * size).join(''),
  )
}

const OPTIONS = [
  { optionId: 'yes', name: 'Allow', kind: 'allow_once' },
  { optionId: 'yes-session', name: 'Allow for this session', kind: 'allow_always' },
  { optionId: 'yes-always', name: 'Always allow', kind: 'allow_always' },
  { optionId: 'no', name: 'Reject', kind: 'reject_once' },
]

async function prompted(session, prompt) {
  if (!open.has(session)) return { stopReason: 'refusal' }
  const stop = Promise.withResolvers()
  cancelled.set(session, stop.resolve)
  const act = await told({ asked: textOf(prompt), prompt, session })
  writeFileSync(fileOf(session), JSON.stringify([...storedOf(session), textOf(prompt)]))
  if (act.spawns) tell({ spawned: await leaveChild() })
  if (act.refuse === 401) throw { code: -32_000, message: 'Authentication required' }
  if (act.refuse === 429)
    throw { code: -32_603, message: 'Internal error', data: { details: 'API Error: 429 Too many requests' } }
  if (act.refuse === 500)
    throw { code: -32_603, message: 'Internal error', data: 'API Error: 500 overloaded' }
  if (act.error) throw act.error
  if (act.think)
    for (const text of cut(act.think, 2))
      update(session, 'agent_thought_chunk', { content: { type: 'text', text } })
  let say = act.say ?? ''
  if (act.unlessAllowed !== undefined) {
    const toolCall = { toolCallId: 'call-1', title: 'Do it', kind: 'execute', rawInput: { command: 'do it' } }
    if (version === 1) update(session, 'tool_call', { ...toolCall, status: 'pending' })
    if (version === 2) update(session, 'state_update', { state: 'requires_action' })
    const about = version === 1 ? { toolCall } : { title: 'Do it', subject: { type: 'tool_call', toolCall } }
    const reply = await Promise.race([
      ask('session/request_permission', { sessionId: session, ...about, options: act.options ?? OPTIONS }),
      stop.promise,
    ])
    if (reply === 'stopped') {
      if (act.breaksWhenStopped)
        throw { code: -32_603, message: "'NoneType' object has no attribute 'startswith'" }
      return { stopReason: 'cancelled' }
    }
    tell({ outcome: reply.outcome })
    const isAllowed = reply.outcome.optionId?.startsWith('yes') === true
    if (isAllowed) await told({ done: true })
    else say = act.unlessAllowed
    update(session, 'tool_call_update', { toolCallId: 'call-1', status: isAllowed ? 'completed' : 'failed' })
  }
  for (const each of act.updates ?? []) update(session, each.sessionUpdate, each)
  for (const line of act.lines ?? []) process.stdout.write(`${line}\n`)
  if (act.complains) process.stderr.write(act.complains)
  const messageId = `message-${requests}`
  for (const text of cut(say, act.pieces ?? 3))
    update(session, 'agent_message_chunk', {
      content: { type: 'text', text },
      ...(version === 2 && { messageId }),
    })
  // A version 2 agent may repeat a streamed message as a whole.
  if (version === 2 && say !== '')
    update(session, 'agent_message', { messageId, content: [{ type: 'text', text: say }] })
  if (act.after === 'dies') return die(act)
  if (act.after === 'garbles') process.stdout.write('{"jsonrpc": "2.0", "method": "session/upd\n')
  if (act.after === 'garbles' || act.after === 'hangs') {
    if (act.deaf) await new Promise(() => {})
    await stop.promise
    return { stopReason: 'cancelled' }
  }
  return act.reply ?? { stopReason: 'end_turn' }
}

async function die({ complains }) {
  if (complains) await wait(20)
  // The callback runs after earlier output was flushed.
  process.stdout.write('', () => process.exit(3))
  await new Promise(() => {})
}

async function leaveChild() {
  const { spawn } = await import('node:child_process')
  return spawn('sleep', ['600'], { stdio: 'ignore' }).pid
}

/** In version 2 the reply only accepts the prompt; a state update reports its end. */
async function workedAt(session, prompt) {
  update(session, 'user_message', { messageId: 'of-the-person', content: prompt })
  update(session, 'state_update', { state: 'running' })
  try {
    const { stopReason } = await prompted(session, prompt)
    update(session, 'state_update', { state: 'idle', stopReason })
  } catch (error) {
    update(session, 'state_update', { state: 'idle', stopReason: 'error', error })
  }
}

const methods = {
  initialize: async (params) => {
    const { initialized } = await told({ initialize: params })
    version = initialized.protocolVersion
    if (initialized.only !== undefined && initialized.only !== params.protocolVersion)
      throw {
        code: -32_022,
        message: 'Unsupported protocol version',
        data: { supported: [initialized.only] },
      }
    return initialized
  },
  'session/new': async () => {
    const { session, refuses } = await told({ new: true })
    if (refuses) throw refuses
    return { sessionId: session, ...opened(session) }
  },
  'session/load': async ({ sessionId }) => {
    tell({ restored: sessionId })
    if (version === 2 && existsSync(fileOf(sessionId))) return opened(sessionId)
    if (!existsSync(fileOf(sessionId))) throw { code: -32_002, message: 'Resource not found' }
    for (const text of storedOf(sessionId))
      update(sessionId, 'agent_message_chunk', { content: { type: 'text', text: `replayed ${text}` } })
    const { models } = opened(sessionId)
    return existsSync(join(SCRIPT_STORE, 'without-models')) ? {} : { models }
  },
  'session/set_model': async ({ modelId }) => tell({ model: modelId }) && {},
  'session/set_config_option': async ({ configId, type, value }) => {
    if (configId !== 'model' || type !== 'id') throw { code: -32_602, message: 'Invalid params' }
    tell({ model: value })
    return { configOptions: [{ ...MODELS, currentValue: value }] }
  },
  'session/close': async ({ sessionId }) => tell({ closed: sessionId }) && open.delete(sessionId) && {},
  'session/prompt': async ({ sessionId, prompt }) => {
    tell({ working: 1 })
    if (version === 2) {
      setImmediate(() => void workedAt(sessionId, prompt).finally(() => tell({ working: -1 })))
      return { messageId: 'of-the-person' }
    }
    try {
      return await prompted(sessionId, prompt)
    } finally {
      tell({ working: -1 })
    }
  },
}
methods['session/resume'] = methods['session/load']
const removed = new Set(['session/load', 'session/set_model'])

createInterface({ input: process.stdin })
  .on('line', async (line) => {
    const { id, method, params, result } = JSON.parse(line)
    if (method === undefined) return asked.get(id)?.(result)
    if (method === 'session/cancel') return cancelled.get(params.sessionId)?.('stopped')
    if (id === undefined) return
    if (!methods[method] || (version === 2 && removed.has(method)))
      return write({ id, error: { code: -32_601, message: `No method ${method}` } })
    try {
      write({ id, result: await methods[method](params) })
    } catch (error) {
      write({ id, error: error.code ? error : { code: -32_603, message: String(error) } })
    }
  })
  .on('close', () => process.exit(0))
