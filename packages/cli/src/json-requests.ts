import type { Client } from './daemon/client.ts'

/** Parameters of a request. Undefined ones are not sent. */
export type QueryParams = Readonly<Record<string, string | number | boolean | undefined>>

export function getJson<T>(client: Client, path: string, query: QueryParams = {}): Promise<T> {
  const params = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  )
  return client.json<T>(`${path}?${new URLSearchParams(params)}`)
}

export const sendJson = <T>(
  client: Client,
  method: 'POST' | 'PUT' | 'DELETE',
  path: string,
  body: object = {},
): Promise<T> => client.json<T>(path, jsonRequest(body, method))

export const jsonRequest = (body: object, method = 'POST') => ({
  method,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})
