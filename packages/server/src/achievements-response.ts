import { hash } from 'node:crypto'
import type { AchievementItem, AchievementsReply } from '@panoptes/schema'
import { JSON_TYPE } from './route.ts'

interface Written {
  readonly text: Buffer
  readonly tag: string
}

/** Writes the catalogue once per snapshot; each answer then puts a small head of its own before it. */
export function achievementsAnswer(): (
  reply: AchievementsReply,
  ifNoneMatch: string | undefined,
) => Response {
  const written = new WeakMap<readonly AchievementItem[], Written>()
  const write = (items: readonly AchievementItem[]): Written => {
    const made = written.get(items) ?? serialize(items)
    written.set(items, made)
    return made
  }
  return ({ achievements, ...head }, ifNoneMatch) => {
    const { text, tag } = write(achievements)
    // The ETag leaves the age out: an answer that differs only in age counts as unchanged.
    const etag = `W/"${hash('sha1', `${tag}${JSON.stringify(withoutAge(head))}`, 'base64url')}"`
    const headers = { etag }
    if (ifNoneMatch?.split(/\s*,\s*/).includes(etag)) return new Response(null, { status: 304, headers })
    const before = Buffer.from(`${JSON.stringify(head).slice(0, -1)},"achievements":`)
    return new Response(Buffer.concat([before, text, END]), {
      headers: { ...headers, 'content-type': JSON_TYPE },
    })
  }
}

const END = Buffer.from('}')

const serialize = (items: readonly AchievementItem[]): Written => {
  const text = Buffer.from(JSON.stringify(items))
  return { text, tag: hash('sha1', text, 'base64url') }
}

function withoutAge(head: Omit<AchievementsReply, 'achievements'>): unknown {
  const { status, ...meta } = head.scan_meta
  const { snapshot_age_seconds: _age, ...aged } = status ?? { snapshot_age_seconds: null }
  return { ...head, scan_meta: { ...meta, status: aged } }
}
