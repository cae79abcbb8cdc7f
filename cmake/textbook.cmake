# Determines the forms of a textbook kernel from the text of its header, for generated files: `both`
# tells whether a scan has an inclusive and an exclusive form; `form` is the extra template argument
# of its plan.
function(upsweep_textbook_forms text)
  if(text MATCHES "template <int threads, bool exclusive_form = false>")
    set(both true PARENT_SCOPE)
    set(form ", exclusive" PARENT_SCOPE)
  else()
    set(both false PARENT_SCOPE)
    set(form "" PARENT_SCOPE)
  endif()
endfunction()
