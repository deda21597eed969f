import { isDeepStrictEqual } from 'node:util'
import { failure, type Result, success } from '@panoptes/schema'
import {
  type ArrayNode,
  appendItem,
  appendMember,
  detectLayout,
  findMember,
  type JsonNode,
  type ObjectNode,
  parseJson,
  removeChild,
  replaceNode,
  toPosition,
} from '../json/tree.ts'
import { type Handler, isOurs as isCapture } from './handlers.ts'

/** Selects the entries to edit. Panoptes has several kinds, and each editor leaves the others alone. */
export type IsOurs = (handler: unknown) => boolean

/** One entry of Panoptes in a settings file. */
export interface OurEntry {
  readonly event: string
  readonly handler: unknown
}

/** Returns the settings with exactly these entries of Panoptes. All other text stays unchanged. */
export function setOurHooks(
  text: string,
  wanted: ReadonlyMap<string, Handler>,
  file: string,
  isOurs: IsOurs = isCapture,
): Result<string> {
  let now = text.trim() === '' ? '{}\n' : text
  for (;;) {
    const read = readHooks(now, file, isOurs)
    if (!read.ok) return read
    const wrong = findFirstWrong(read.value.ours, wanted)
    if (wrong === undefined) break
    now = wrong.handler
      ? replaceNode(now, wrong.place.node, wrong.handler, detectLayout(now))
      : take(now, wrong.place)
  }
  for (const [event, handler] of wanted) {
    const added = addOne(now, event, handler, file, isOurs)
    if (!added.ok) return added
    now = added.value
  }
  return success(now)
}

/** Finds an entry of Panoptes to remove or to replace. */
function findFirstWrong(ours: readonly Place[], wanted: ReadonlyMap<string, Handler>) {
  const seen = new Set<string>()
  for (const place of ours) {
    const handler = seen.has(place.event) ? undefined : wanted.get(place.event)
    seen.add(place.event)
    if (handler === undefined || !isDeepStrictEqual(place.handler, handler)) return { place, handler }
  }
  return undefined
}

/** Removes the entries of Panoptes and the chains that become empty. */
export function removeOurHooks(text: string, file: string, isOurs: IsOurs = isCapture): Result<string> {
  if (text.trim() === '') return success(text)
  let now = text
  for (;;) {
    const read = readHooks(now, file, isOurs)
    if (!read.ok) return read
    const place = read.value.ours.at(-1)
    if (place === undefined) return success(now)
    now = take(now, place)
  }
}

export function listOurEntries(
  text: string,
  file: string,
  isOurs: IsOurs = isCapture,
): Result<readonly OurEntry[]> {
  if (text.trim() === '') return success([])
  const read = readHooks(text, file, isOurs)
  return read.ok ? success(read.value.ours.map(({ event, handler }) => ({ event, handler }))) : read
}

interface Place extends OurEntry {
  readonly node: JsonNode
  /** The path from the root to the list of handlers: each container and the index of the next one in it. */
  readonly path: readonly Step[]
}
interface Step {
  readonly container: ObjectNode | ArrayNode
  readonly index: number
}
interface Hooks {
  readonly root: ObjectNode
  readonly hooks: ObjectNode | undefined
  readonly ours: readonly Place[]
}

function readHooks(text: string, file: string, isOurs: IsOurs): Result<Hooks> {
  const parsed = parseJson(text)
  if (!parsed.ok) return failure('invalid', `${file}:${parsed.line}:${parsed.column}: ${parsed.reason}`)
  const { root } = parsed
  if (root.kind !== 'object') return invalidFailure(text, root, file, 'the settings must be an object')
  const member = findMember(root, 'hooks')
  if (member === undefined) return success({ root, hooks: undefined, ours: [] })
  const hooks = member.value
  if (hooks.kind !== 'object') return invalidFailure(text, hooks, file, '"hooks" must be an object')
  const top: Step = { container: root, index: root.children.indexOf(member) }
  const ours: Place[] = []
  for (const [at, { key, value: groups }] of hooks.children.entries()) {
    if (groups.kind !== 'array') return invalidFailure(text, groups, file, `"hooks.${key}" must be a list`)
    for (const [nth, group] of groups.children.entries()) {
      const list = group.kind === 'object' ? findMember(group, 'hooks') : undefined
      if (group.kind !== 'object' || list?.value.kind !== 'array') continue
      for (const [index, node] of list.value.children.entries()) {
        const handler: unknown = JSON.parse(text.slice(node.start, node.end))
        if (!isOurs(handler)) continue
        const path = [
          top,
          { container: hooks, index: at },
          { container: groups, index: nth },
          { container: list.value, index },
        ]
        ours.push({ event: key, handler, node, path })
      }
    }
  }
  return success({ root, hooks, ours })
}

const invalidFailure = (text: string, node: JsonNode, file: string, reason: string) => {
  const { line, column } = toPosition(text, node.start)
  return failure('invalid', `${file}:${line}:${column}: ${reason}`)
}

/** Walks up while the container holds nothing else, and removes the outermost emptied one as a whole. */
function take(text: string, { path }: Place): string {
  let level = path.length - 1
  while (level > 0 && path[level]?.container.children.length === 1) level -= 1
  const step = path[level]
  return step ? removeChild(text, step.container, step.index) : text
}

function addOne(text: string, event: string, handler: Handler, file: string, isOurs: IsOurs): Result<string> {
  const read = readHooks(text, file, isOurs)
  if (!read.ok) return read
  const { root, hooks, ours } = read.value
  if (ours.some((place) => place.event === event)) return success(text)
  const layout = detectLayout(text)
  const group = { hooks: [handler] }
  if (hooks === undefined) return success(appendMember(text, root, 'hooks', { [event]: [group] }, layout))
  const groups = findMember(hooks, event)?.value
  if (groups?.kind === 'array') return success(appendItem(text, groups, group, layout))
  return success(appendMember(text, hooks, event, [group], layout))
}
