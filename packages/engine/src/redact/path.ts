const ABSOLUTE = /^(?:\/|[A-Za-z]:[\\/])/
const BASE64_END = /^[A-Za-z0-9+/]{16,}={1,2}$/
const CHANCE_LENGTH = 10

/** A key in base64 may begin with a slash too, but its parts are no names. */
export function isPath(value: string): boolean {
  if (!ABSOLUTE.test(value)) return false
  return !BASE64_END.test(value) && !value.split(/[^A-Za-z0-9+]/).some(isChance)
}

/** Whether letters of both cases and digits stand in no order. */
function isChance(part: string): boolean {
  if (part.length < CHANCE_LENGTH) return false
  if (!/[a-z]/.test(part) || !/[A-Z]/.test(part) || !/[0-9]/.test(part)) return false
  const turns = part.match(/[a-z](?=[^a-z])|[A-Z](?=[^A-Za-z])|[0-9](?=[^0-9])|[+]/g)?.length ?? 0
  return turns >= part.length * 0.25
}
