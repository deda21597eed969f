import { type Fields, toFieldList, toFields, toText } from '../fields.ts'

/** The models available to a session and how to choose one. */
export interface SessionModels {
  readonly current: string
  readonly all: readonly string[]
  readonly choose: (session: string, model: string) => { readonly method: string; readonly params: Fields }
}

const MOST_MODELS = 500

/** Agents list their models in one of two ways. */
export function readModels(opened: Fields): SessionModels | null {
  const reportedModels = toFields(opened.models)
  if (typeof reportedModels.currentModelId === 'string')
    return {
      current: reportedModels.currentModelId,
      all: readNames(toFieldList(reportedModels.availableModels), 'modelId'),
      choose: (sessionId, modelId) => ({ method: 'session/set_model', params: { sessionId, modelId } }),
    }
  const option = toFieldList(opened.configOptions).find(
    ({ category, type }) => category === 'model' && type === 'select',
  )
  if (typeof option?.currentValue !== 'string') return null
  const options = toFieldList(option.options).flatMap((one) =>
    Array.isArray(one.options) ? toFieldList(one.options) : [one],
  )
  return {
    current: option.currentValue,
    all: readNames(options, 'value'),
    choose: (sessionId, value) => ({
      method: 'session/set_config_option',
      // Version 2 has another method name and requires the type of the value.
      params: {
        sessionId,
        value,
        ...(option.id === undefined ? { configId: option.configId, type: 'id' } : { configId: option.id }),
      },
    }),
  }
}

const readNames = (list: readonly Fields[], name: string): readonly string[] =>
  list
    .map((one) => toText(one[name]))
    .filter((one) => one !== '')
    .slice(0, MOST_MODELS)
