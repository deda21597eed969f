/**
 * Messages that Hermes writes on behalf of the user begin with these texts: reports of background work, and
 * instructions to continue. For an invoked skill, `[IMPORTANT: The user …` precedes the user's own words.
 */
const NOTICE =
  /^\s*(?:Review the conversation above and |\[System: |\[ASYNC DELEGATION |\[Your active task list was preserved |\[IMPORTANT: (?:Background process |Watch patterns? |MCP servers have been ))/

/** True when Hermes itself wrote a `user` message. */
export const isHermesNotice = (text: string): boolean => NOTICE.test(text)
