import { errorBody } from '../errors.ts'
import { type Fields, toFields } from './fields.ts'
import type { ResponsesRequest } from './request.ts'

const AT_OPENAI = ['previous_response_id', 'conversation', 'prompt']

/** Refuses a request that refers to stored state, since this gateway stores none. */
export function refuseStoredState(request: ResponsesRequest): Response | undefined {
  const body = request as Fields
  const named = AT_OPENAI.find((name) => (body[name] ?? null) !== null)
  if (named) return refused(named, 'Send the whole conversation as input.')
  if (body.background === true) return refused('background', 'Wait for the answer, or stream it.')
  const items = typeof request.input === 'string' ? [] : request.input
  if (items.some(({ type }) => type === 'item_reference'))
    return refused('item_reference', 'Send the item itself.')
  return items.some(({ content, output }) => [content, output].some(hasStoredImage))
    ? refused('file_id of an image', 'Send the image itself in image_url.')
    : undefined
}

const hasStoredImage = (parts: unknown): boolean =>
  Array.isArray(parts) &&
  parts.map(toFields).some(({ type, file_id: id }) => type === 'input_image' && (id ?? null) !== null)

const refused = (what: string, next: string): Response =>
  Response.json(
    errorBody(
      `Panoptes does not store responses, so it does not support ${what}. ${next}`,
      'invalid_request_error',
      'not_stored',
    ),
    { status: 400 },
  )
