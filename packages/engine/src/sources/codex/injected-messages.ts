import { type Fields, toFields, toList, toText } from '../fields.ts'

/** Messages that Codex inserts on behalf of the user begin with these texts. */
const BEGINNINGS = [
  '<environment_context>',
  '<user_instructions>',
  '<permissions instructions>',
  '<collaboration_mode>',
  '<skills_instructions>',
  '<skill>',
  '<turn_aborted>',
  '<subagent_notification>',
  '<user_shell_command>',
  '<hook_prompt',
  '<model_switch>',
  '<personality_spec>',
  '<realtime_conversation>',
  '<goal_context>',
  '<guardian',
  '# AGENTS.md instructions',
]

/** True when a `user` message was not written by a person. Newer versions record the origin of each part. */
export function isInjected(item: Fields): boolean {
  const { content_item_metadata } = toFields(item.internal_chat_message_metadata_passthrough)
  const from = toList(content_item_metadata).map((each) => toFields(toFields(each).provenance).type)
  if (from.some((type) => typeof type === 'string')) return !from.includes('user')
  const texts = toList(item.content).map((part) => toText(toFields(part).text)?.trimStart())
  return texts.length > 0 && texts.every((text) => text !== undefined && begins(text))
}

const begins = (text: string): boolean => BEGINNINGS.some((beginning) => text.startsWith(beginning))
